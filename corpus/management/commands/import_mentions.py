from corpus.questions.commands import ImportMentions as Command
