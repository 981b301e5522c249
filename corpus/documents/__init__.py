"""Documents: browsing and searching them, bringing them in, who cites whom."""
