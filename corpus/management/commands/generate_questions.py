from corpus.questions.commands.generation import GenerateQuestions as Command
