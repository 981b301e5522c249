"""All formats, as one object for those who list registries."""

from corpus.formats.registry import formats

FORMATS = formats()
