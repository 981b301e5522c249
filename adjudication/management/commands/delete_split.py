from adjudication.splits.operations import DELETE_SPLIT

Command = DELETE_SPLIT.command
