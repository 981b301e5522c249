from corpus.topics.commands.import_topics import Command
