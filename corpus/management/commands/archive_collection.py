from corpus.collections.commands import ArchiveCollection as Command
