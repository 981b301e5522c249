"""Documents: browsing, searching and importing them, and who cites whom."""
