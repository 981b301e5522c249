from corpus.runs.commands.export_run import Command
