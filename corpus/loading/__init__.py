"""How many rows come into the database: COPY, batches of lines, counts of what was read."""
