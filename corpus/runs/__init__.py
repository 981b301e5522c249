"""Retrieval runs: TREC runs that were brought in, compared with the pools."""
