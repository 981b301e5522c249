"""What the worker does: agreement and votes over a snapshot of the judgments."""
