"""All formats as one object, which an AppConfig names by its path."""

from engines.formats.registry import formats

FORMATS = formats()
