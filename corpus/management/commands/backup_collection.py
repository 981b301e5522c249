from corpus.collections.commands import BackupCollection as Command
