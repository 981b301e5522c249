"""Retrieval runs: made here by recipes, or imported; compared with the pools."""
