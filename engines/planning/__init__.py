"""Who judges what, in which order: arrays in, frozen dataclasses out, no Django."""
