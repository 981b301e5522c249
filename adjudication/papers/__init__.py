"""Citation contexts: several extractions of a paper merged into one, topics and qrels made from them."""
