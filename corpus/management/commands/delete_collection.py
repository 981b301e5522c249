from corpus.collections.commands.delete_collection import Command
