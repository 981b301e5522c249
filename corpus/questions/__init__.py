"""Questions written for a collection: by models from citing paragraphs, by authors about their papers."""
