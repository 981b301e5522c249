from corpus.collections.commands import RenameCollection as Command
