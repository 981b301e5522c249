"""Rubric: a question on its own; the verdict is a level of each criterion."""

from adjudication.views.kinds.base import ItemKind

KIND = ItemKind(template="adjudication/items/_rubric.html")
