from corpus.pools.commands import ImportPool as Command
