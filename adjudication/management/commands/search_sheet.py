from adjudication.evaluation.commands.search_sheet import Command
