"""Edits of an extraction as a screen sends them: several in one request, each as the difference from the one before.

    {"change": "split", "contexts": [0, {"id": "02", …}, 2], "references": [0, 1]}

A number is the place of a record in the content before the step; an object is a new or changed record. A list that is
left out stays as it is.
"""

from collections.abc import Mapping
from typing import Any

from engines.definitions.extractions import BadExtraction
from engines.wordings import Wording

PARTS = ("contexts", "references")
MOST_STEPS = 500  # in one request


def apply_step(content: Mapping[str, Any], step: object) -> dict[str, Any]:
    """Return the JSON of the content after a step; new records are not checked.

    Raises `BadExtraction` for what is no step, and for places that the content does not have.
    """
    if not isinstance(step, dict):
        raise BadExtraction(Wording("a step is an object"))
    if unknown := sorted(set(step) - {"change", *PARTS}):
        raise BadExtraction(Wording("a step has the unknown field “{field}”", field=unknown[0]))
    return {part: _records(content[part], step.get(part), part) for part in PARTS}


def whole_step(content: object, change: str) -> object:
    """Return the step that replaces any content by this one; what is no content is no step either."""
    return {**content, "change": change} if isinstance(content, dict) else content


def _records(before: list[Any], after: object, part: str) -> list[Any]:
    if after is None:
        return before
    if not isinstance(after, list):
        raise BadExtraction(Wording("{where}: a list is expected", where=Wording(part)))
    if any(type(each) is int and not 0 <= each < len(before) for each in after):
        raise BadExtraction(Wording("{part}: a place that the content before does not have", part=Wording(part)))
    return [before[each] if type(each) is int else each for each in after]


def new_texts(steps: list[Any]) -> set[str]:
    """Return the texts of sentences in the new records of valid steps."""
    contexts = [each for step in steps for each in step.get("contexts") or () if isinstance(each, dict)]
    return {sentence["text"] for context in contexts for sentence in context.get("sentences", ())}
