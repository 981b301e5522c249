"""Rating questions: rewrites of them, and further documents that answer them."""
