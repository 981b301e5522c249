from annotation.papers.commands import Command
