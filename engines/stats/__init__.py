"""Statistics of agreement, votes and retrieval: arrays in, frozen dataclasses out, no Django.

`report.measure_agreement(labels, Options(seed=...))` is the one call the agreement job makes. An undefined figure is
None with a reason, never NaN. docs/statistics.md says what is computed and how.
"""
