"""Extraction: what is taken out of one source; the verdict is a level of each criterion."""

from adjudication.views.kinds.base import ItemKind

KIND = ItemKind(template="adjudication/items/_extraction.html")
