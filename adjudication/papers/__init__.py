"""Citation contexts: several extractions of a paper made one, topics and qrels made from them."""
