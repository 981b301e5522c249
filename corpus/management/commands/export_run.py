from corpus.runs.commands import ExportRun as Command
