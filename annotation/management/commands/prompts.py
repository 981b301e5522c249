from annotation.machines.commands.prompts import Command
