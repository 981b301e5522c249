from corpus.collections.commands import RestoreCollection as Command
