"""Pools: which documents are judged for a topic, from runs, searches, lists and by hand, and the report on them."""
