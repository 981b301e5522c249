"""The campaign kind “rubric”."""
