from corpus.collections.commands import CollectionStats as Command
