from corpus.questions.commands import AuthorCalls as Command
