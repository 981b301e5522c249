from corpus.collections.commands import UpdateCollection as Command
