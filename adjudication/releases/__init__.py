"""Releases: frozen versions of a collection that check, describe and explain themselves."""
