from adjudication.evaluation.commands.evaluate import Command
