"""The guide: the steps of a collection from its first document to its release, and which comes next."""
