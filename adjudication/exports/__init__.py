"""Exports: the registry of exporters, one module each, with their page, API and commands."""
