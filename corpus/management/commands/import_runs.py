from corpus.runs.commands.import_runs import Command
