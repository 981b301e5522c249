"""Test data, one module per app."""
