from adjudication.splits.commands import Command
