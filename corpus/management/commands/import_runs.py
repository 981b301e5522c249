from corpus.runs.commands import Command
