"""Endpoints of models: those of the environment and those that staff set up on a page."""
