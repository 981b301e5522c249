"""Clients of HTTP services: OpenAI-compatible endpoints, registries and repositories of publications. No Django."""
