from corpus.collections.commands import DeleteCollection as Command
