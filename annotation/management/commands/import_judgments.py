from annotation.imports.commands import Command
