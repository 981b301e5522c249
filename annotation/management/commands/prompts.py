from annotation.machines.commands import Prompts as Command
