from corpus.topics.commands import MakeSubQueries as Command
