from adjudication.cycles.commands.anno_gpt import Command
