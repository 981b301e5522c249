"""Pages and their answers, one module per noun."""
