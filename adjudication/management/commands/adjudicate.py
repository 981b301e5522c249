from adjudication.verdicts.commands import Command
