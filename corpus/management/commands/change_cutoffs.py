from corpus.questions.commands import ChangeCutoffs as Command

__all__ = ["Command"]
