from corpus.topics.commands import ImportTopics as Command
