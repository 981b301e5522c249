from adjudication.evaluation.commands import Evaluate as Command
