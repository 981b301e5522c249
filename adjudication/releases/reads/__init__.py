"""What a release is made of: sources, people under pseudonyms, gold, lines, the check list."""
