"""What the worker does for the corpus: imports and pools."""
