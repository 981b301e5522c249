from corpus.questions.commands import GenerateQuestions as Command
