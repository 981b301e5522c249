from corpus.questions.commands.author_calls import AuthorCalls as Command
