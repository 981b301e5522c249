from corpus.collections.commands import ExportPerson as Command
