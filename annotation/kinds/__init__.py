"""The campaign kinds, a folder each: its object in kind.py, and what only that kind does."""
