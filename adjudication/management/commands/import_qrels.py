from adjudication.evaluation.commands.import_qrels import Command
