"""Papers: reading them, the screen on which citation contexts are extracted, and which extraction counts."""
