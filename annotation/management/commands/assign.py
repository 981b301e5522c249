from annotation.assignment.commands.assign import Command
