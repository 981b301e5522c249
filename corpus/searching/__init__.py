"""Searching a collection: indexes of its words and vectors of its texts, kept outside the tables."""
