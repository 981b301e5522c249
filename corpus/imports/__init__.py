"""Imports: files taken in, their jobs and pages, undoing one. What can be imported registers an importer."""
