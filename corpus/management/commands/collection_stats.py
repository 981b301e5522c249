from corpus.collections.commands.collection_stats import Command
