"""What Litmus asks over HTTP: chat and embeddings of OpenAI-compatible endpoints, registries of publications. No Django."""
