from corpus.topics.commands.make_sub_queries import Command
