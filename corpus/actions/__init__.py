"""Every write to a collection and what is in it, one module per noun."""
