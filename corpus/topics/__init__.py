"""Topics: their aspects, versions and reviews, sub-queries made from them, bringing them in."""
