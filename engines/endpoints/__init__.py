"""Clients of HTTP services: OpenAI-compatible endpoints and registries of publications. No Django."""
