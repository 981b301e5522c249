"""Benchmarks: each module measures one thing by itself; `python -m bench` runs them all and writes the document."""
