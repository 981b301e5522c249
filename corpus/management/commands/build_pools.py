from corpus.pools.commands.build_pools import Command
