"""What Litmus asks over HTTP: OpenAI-compatible endpoints, registries of publications. No Django."""
