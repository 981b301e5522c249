"""Loading many rows into the database: COPY, batches of lines, counts of what was read."""
