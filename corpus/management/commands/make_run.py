from corpus.runs.commands import MakeRun as Command
