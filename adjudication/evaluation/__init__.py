"""Evaluation: runs measured against a gold of any kind, by subsets of topics, with tests, and the papers' tables."""
