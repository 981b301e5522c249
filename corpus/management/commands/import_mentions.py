from corpus.questions.commands.generation import ImportMentions as Command
