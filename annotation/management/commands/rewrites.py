from annotation.rubric.commands import Command
