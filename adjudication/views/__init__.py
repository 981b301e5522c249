"""Pages of the adjudication app."""
