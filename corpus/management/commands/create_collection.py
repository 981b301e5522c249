from corpus.collections.commands.create_collection import Command
