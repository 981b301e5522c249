"""Judgments that were made elsewhere, imported into a campaign."""
