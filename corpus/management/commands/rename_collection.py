from corpus.collections.commands.rename_collection import Command
