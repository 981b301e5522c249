from corpus.collections.commands.backup_collection import Command
