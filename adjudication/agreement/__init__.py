"""Agreement between annotators: its jobs, reports, tables, figures and the size of a sample."""
