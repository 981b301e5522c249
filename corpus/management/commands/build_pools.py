from corpus.pools.commands import BuildPools as Command
