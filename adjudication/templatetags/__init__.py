"""Filters of the adjudication pages."""
