from annotation.assignment.commands.annotators import AddCommand as Command
