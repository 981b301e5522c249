"""Campaigns: their settings, criteria, guideline, items and progress, and the first page of annotators."""
