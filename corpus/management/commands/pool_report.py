from corpus.pools.commands.pool_report import Command
