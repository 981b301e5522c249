from corpus.topics.operations import MAKE_SUB_QUERIES

Command = MAKE_SUB_QUERIES.command
