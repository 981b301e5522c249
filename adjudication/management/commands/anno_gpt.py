from adjudication.cycles.commands import Command
