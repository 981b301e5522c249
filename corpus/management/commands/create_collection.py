from corpus.collections.commands import CreateCollection as Command
