"""Ways to make a run: one module each, and one line in `registry`."""
