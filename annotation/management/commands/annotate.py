from annotation.machines.commands import Annotate as Command
