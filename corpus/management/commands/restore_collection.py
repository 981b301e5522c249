from corpus.collections.commands.restore_collection import Command
