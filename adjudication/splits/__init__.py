"""Splits of topics: drawn by a seed, stored, never overlapping."""
