"""Reads of the adjudication app: current labels, figures, votes, the queue, values that count."""
