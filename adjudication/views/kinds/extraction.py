"""Extraction: several people's accounts of a paper; the verdict is one extraction, made on a screen of its own."""

from adjudication.views.kinds.base import ItemKind
from adjudication.views.papers import paper_desk

KIND = ItemKind(template="adjudication/items/_extraction.html", desk=paper_desk)
