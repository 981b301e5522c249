"""Pages of a collection and what is in it, one module per noun."""
