"""Readers of strangers' files, run in separate processes with limits of memory and time.

`reading.read_guarded` is the one way in. A nursery (`nursery.py`) is started once for each process of ours; it has the
formats loaded, knows no secrets and no connections, and forks a child for each file. What a child yields comes back as
plain values and records (`messages.py`).
"""
