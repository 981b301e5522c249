"""The campaign kind “extraction”."""
