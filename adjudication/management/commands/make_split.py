from adjudication.splits.operations import MAKE_SPLIT

Command = MAKE_SPLIT.command
