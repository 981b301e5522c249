from corpus.questions.commands.generation import ChangeCutoffs as Command

__all__ = ["Command"]
