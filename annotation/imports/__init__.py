"""Judgments that were made elsewhere, brought into a campaign."""
