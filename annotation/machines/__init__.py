"""Machine annotators: recipes, prompts, their runs and the answers that could not be parsed."""
