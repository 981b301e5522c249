"""Splits of topics: drawn by a seed, stored, never overlapping; what is trained on never comes from the test part."""
