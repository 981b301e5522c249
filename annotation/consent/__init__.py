"""Consent: what annotators agree to before they judge, what they say about their background, and withdrawal."""
