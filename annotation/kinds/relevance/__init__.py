"""The campaign kind “relevance”."""
