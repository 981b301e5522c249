"""Ranking documents for topics: indexes, fusion, pools. No Django."""
