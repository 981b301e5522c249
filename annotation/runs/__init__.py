"""What the worker does, one module per job."""
