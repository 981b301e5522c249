"""Pages of one's own account, one module per noun."""
