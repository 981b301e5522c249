"""Every write to people, their tokens and settings, one module per noun."""
