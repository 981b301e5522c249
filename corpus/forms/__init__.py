"""Forms of the corpus app, one module per noun: shape and validation only."""
