from annotation.assignment.commands import Command
