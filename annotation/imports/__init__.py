"""What of this app can be imported; see corpus/imports/registry.py."""
