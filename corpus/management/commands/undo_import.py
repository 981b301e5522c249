from corpus.imports.commands import UndoImport as Command
