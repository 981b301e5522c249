from corpus.imports.commands.import_papers import Command
