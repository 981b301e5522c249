from adjudication.splits.commands.make_split import Command
