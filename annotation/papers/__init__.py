"""Papers: reading them, the desk on which citation contexts are extracted, and which extraction counts."""
