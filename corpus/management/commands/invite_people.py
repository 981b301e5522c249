from corpus.collections.commands.invite_people import Command
