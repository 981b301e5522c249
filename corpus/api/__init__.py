"""REST API of collections, documents, topics, runs and imports. Shape and validation only; the actions do the work."""
