"""Reads across models, one module per noun."""
