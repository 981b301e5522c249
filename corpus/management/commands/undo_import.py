from corpus.imports.commands.undo_import import Command
