"""Shape and validation of what people send, one module per noun."""
