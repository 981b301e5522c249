from corpus.collections.commands.archive_collection import Command
