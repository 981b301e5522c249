"""Litmus: expert labelling of retrieval test collections. The program is `litmus`; there is nothing to import."""
