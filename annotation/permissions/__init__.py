"""Who may do what, with the reason a person reads, one module per noun."""
