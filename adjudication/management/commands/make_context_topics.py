from adjudication.papers.operations import MAKE_CONTEXT_TOPICS

Command = MAKE_CONTEXT_TOPICS.command
