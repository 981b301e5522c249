from corpus.pools.commands import PoolReport as Command
