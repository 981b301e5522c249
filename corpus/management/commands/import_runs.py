from corpus.runs.commands import ImportRuns as Command
