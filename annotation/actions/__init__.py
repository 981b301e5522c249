"""Every write that a person asks for, one module per noun."""
