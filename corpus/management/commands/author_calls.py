from corpus.questions.commands.author_calls import Command
