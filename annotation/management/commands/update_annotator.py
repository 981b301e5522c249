from annotation.assignment.commands.annotators import UpdateCommand as Command
