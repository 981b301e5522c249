from corpus.questions.commands.generate_questions import Command
