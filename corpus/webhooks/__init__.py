"""Webhooks: messages to programs elsewhere about what happens in a collection, and their delivery."""
