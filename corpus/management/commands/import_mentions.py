from corpus.questions.commands.import_mentions import Command
