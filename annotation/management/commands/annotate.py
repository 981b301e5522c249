from annotation.machines.commands import Command
