"""Writing a release, checking a folder against its manifest, making one again."""
