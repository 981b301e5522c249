from corpus.documents.commands.index_documents import Command

__all__ = ["Command"]
