from corpus.collections.commands.add_member import Command
