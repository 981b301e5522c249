from corpus.pools.commands.import_pool import Command
