from corpus.questions.operations import CHANGE_CUTOFFS

Command = CHANGE_CUTOFFS.command
