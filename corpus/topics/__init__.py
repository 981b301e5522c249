"""Topics: their aspects, versions and reviews, sub-queries made from them, importing them."""
