"""Verdicts: votes, the adjudication screen, and the relevance of documents that follows."""
