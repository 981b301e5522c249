from adjudication.evaluation.commands import ImportQrels as Command
