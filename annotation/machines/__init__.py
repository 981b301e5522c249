"""Machine annotators: recipes, prompts, their runs and the answers nobody could read."""
