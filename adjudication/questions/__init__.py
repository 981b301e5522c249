"""The set of questions that a rubric campaign results in."""
