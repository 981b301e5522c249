"""Reads across the models of the corpus app, one module per noun."""
