from annotation.assignment.operations import UPDATE_ANNOTATOR

Command = UPDATE_ANNOTATOR.command
