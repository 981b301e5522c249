"""Relevance: a document under an aspect of a query, or under the whole query; the verdict is a grade."""

from adjudication.queries.items import fetch_relevance_view
from adjudication.views.kinds.base import ItemKind

KIND = ItemKind(template="adjudication/items/_relevance.html", fetch=fetch_relevance_view)
