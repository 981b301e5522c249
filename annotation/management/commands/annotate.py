from annotation.machines.commands.annotate import Command
