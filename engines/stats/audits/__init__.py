"""The audit of machine labels: figures of a collection that machines labelled, corrected by a few labels of people.

A sample of pairs, drawn at random in strata, goes to people; machines labelled every pair. `estimates.estimate` gives
a figure of all pairs as people would have labelled them, with its interval. docs/statistics.md says how.
"""
