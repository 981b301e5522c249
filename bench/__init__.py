"""Benchmarks: each module measures one thing separately; `python -m bench` runs them all and writes the document."""
