"""Shapes of what people send: fields and their ranges, nothing else."""
