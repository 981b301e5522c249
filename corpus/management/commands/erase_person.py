from corpus.collections.commands import ErasePerson as Command
