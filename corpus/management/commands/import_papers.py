from corpus.imports.commands import ImportPapers as Command
