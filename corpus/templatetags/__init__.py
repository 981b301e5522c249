"""Template tags of the corpus app."""
