from corpus.runs.commands.make_run import Command
