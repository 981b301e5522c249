from annotation.assignment.operations import ASSIGN_ITEMS

Command = ASSIGN_ITEMS.command
