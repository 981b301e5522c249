from adjudication.evaluation.commands import SearchSheet as Command
