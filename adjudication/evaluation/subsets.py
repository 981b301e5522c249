"""Attributes of topics, by which figures are broken down: source, kind, specificity, quality, number of aspects …"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
from django.db.models import Count

from accounts.refusals import Refused
from accounts.sql import execute
from adjudication.evaluation.golds.kind import ASPECT, SUB_QUERY
from adjudication.questions.question_set import SetQuestion, check_counted, fetch_question_set
from adjudication.questions.rating import campaigns_rating
from annotation.models import Campaign
from corpus.models import Collection
from engines.stats.results import IntArray

Values = dict[str, str | None]  # by topic number
MOST_SUBSETS = 200
QUERY_SET = {"specificity": "group", "quality": "quality", "query_set": "subset"}  # what the question set says
CAMPAIGN_SPLIT = "campaign_split"  # that of a campaign which judges the topic: a topic's own split says nothing of it
RATED = {"specificity", "quality"}  # of what the question set says, what raters decide
STORED = "split:"  # before the name of a split that was drawn and stored
OWN = ("source", "origin", "inline", "kind", "split", CAMPAIGN_SPLIT, "aspects", "author", "category")
# Where LitSearch's questions come from, by their query_set and by the sources that Litmus gives.
ORIGINS = {
    **dict.fromkeys(("inline-acl", "inline-inside"), ("inline", "inside")),
    **dict.fromkeys(("inline-nonacl", "inline-outside"), ("inline", "outside")),
    "author": ("author", None),
}
SPLITS = """
SELECT t.number, min(c.split) FROM annotation_item i
JOIN annotation_campaign c ON c.id = i.campaign_id AND c.collection_id = %(collection)s AND c.split <> 'main'
JOIN corpus_topic t ON t.id = i.topic_id GROUP BY 1
"""


@dataclass(frozen=True, eq=False)
class Subset:
    """Topics with these values of the attributes (all topics where there are none), as positions in the gold."""

    by: Mapping[str, str | None]
    topics: IntArray


def campaigns_of_attributes(collection: Collection, names: Sequence[str]) -> Sequence[Campaign]:
    """Whose labels these attributes are made of: a subset of one topic would give them away."""
    return list(campaigns_rating(collection)) if set(names) & set(QUERY_SET) else ()


def waits_for_ratings(names: Sequence[str]) -> bool:
    """Whether one of these attributes is what raters of questions decide."""
    return bool(set(names) & RATED)


def attribute_names(collection: Collection) -> list[str]:
    """The attributes that the collection's topics have."""
    found = set[str]()
    for extra in collection.topics.exclude(extra={}).values_list("extra", flat=True)[:2000]:
        found |= {key for key, value in extra.items() if not isinstance(value, list | dict)}
    stored = [f"{STORED}{name}" for name in collection.splits.values_list("name", flat=True)]
    return [*OWN, *stored, *(name for name in QUERY_SET if name not in found), *sorted(found)]


def split_words(words: Sequence[str], known: Container[str]) -> list[str]:
    """The attributes that were named: a word that is none of those known is several with commas between."""
    found = [[word] if word in known else word.split(",") for word in words]
    return [name.strip() for names in found for name in names if name.strip()]


def _questions(collection: Collection, names: Sequence[str]) -> dict[str, SetQuestion]:
    """The question set by number. Errors: Refused where values are asked for that wait for a count of votes."""
    found = fetch_question_set(collection)
    if waits_for_ratings(names):
        check_counted(found)
    return {each.number: each for each in found.questions}


def attributes_of(collection: Collection, unit: str, topics: Sequence[str], names: Sequence[str]) -> dict[str, Values]:
    """{attribute: {topic number: value}}, None where a topic has none. An aspect or sub-query has its topic's.

    Errors: Refused for an attribute that no topic has, listing what there is.
    """
    parents = _parents(collection, unit, topics)
    rows = {row["number"]: row for row in _rows(collection)}
    questions = _questions(collection, names) if set(names) & set(QUERY_SET) else {}
    stored = _stored(collection, names)
    found: dict[str, Values] = {}
    for name in dict.fromkeys(names):
        if name in stored:
            found[name] = {topic: stored[name].get(parents[topic]) for topic in topics}
            continue
        values: Values = {}
        for topic in topics:
            parent = parents[topic]
            value = getattr(questions.get(parent), QUERY_SET.get(name, ""), None) if name in QUERY_SET else None
            row = rows.get(parent, {"extra": {}})
            value = row.get(name) if name in OWN else row["extra"].get(name) if value in (None, "") else value
            values[topic] = None if value in (None, "") else str(value)
        if not any(value is not None for value in values.values()) and name not in attribute_names(collection):
            known = ", ".join(attribute_names(collection))
            raise Refused(f"No topic has an attribute “{name[:40]}”. There is {known}.")
        found[name] = values
    if unit == SUB_QUERY and "aspects" in found:
        sizes = collection.sub_queries.values_list("number", "size")
        found["aspects"] = {number: str(size) for number, size in sizes if number in parents}
    return found


def _stored(collection: Collection, names: Sequence[str]) -> dict[str, dict[str, str]]:
    """{attribute: {topic number: part}} of the splits among these attributes."""
    keys = {name.removeprefix(STORED): name for name in names if name.startswith(STORED)}
    known = collection.splits.filter(name__in=keys)
    return {keys[each.name]: dict(each.members.values_list("topic__number", "part")) for each in known}


def _rows(collection: Collection) -> list[dict[str, Any]]:
    topics = collection.topics.annotate(n_aspects=Count("aspects"))
    splits = dict(execute(SPLITS, {"collection": collection.pk}))
    found = []
    for row in topics.values("number", "source", "kind", "author", "extra", "n_aspects"):
        origin, inline = ORIGINS.get(row["source"], (None, None))
        category = row["extra"].get("query_type") or row["extra"].get("category")  # the latter: from before 0.2
        more = {"category": category, "split": row["extra"].get("split"), CAMPAIGN_SPLIT: splits.get(row["number"])}
        found.append({**row, "aspects": row["n_aspects"], "origin": origin, "inline": inline, **more})
    return found


def _parents(collection: Collection, unit: str, topics: Sequence[str]) -> dict[str, str]:
    """{number: number of the topic it belongs to}."""
    if unit == SUB_QUERY:
        known = dict(collection.sub_queries.values_list("number", "topic__number"))
        return {topic: known.get(topic, topic) for topic in topics}
    return {topic: topic.rpartition(".")[0] if unit == ASPECT else topic for topic in topics}


def subsets_of(attributes: Mapping[str, Values], topics: Sequence[str], counted: IntArray) -> list[Subset]:
    """All `counted` topics (positions); those of each value of each attribute; then of each combination that occurs.

    Errors: Refused where there are too many to read.
    """
    found = [Subset({}, counted)]
    for size in range(1, len(attributes) + 1):
        for names in combinations(attributes, size):
            found += _combined(attributes, names, topics, counted)
            if len(found) > MOST_SUBSETS:
                some = f"{', '.join(names)} would give more than {MOST_SUBSETS} subsets"
                raise Refused(f"{some}. Choose attributes with fewer values.")
    return found


def _combined(
    attributes: Mapping[str, Values], names: Sequence[str], topics: Sequence[str], counted: IntArray
) -> list[Subset]:
    levels = [sorted({attributes[name][topics[place]] for place in counted}, key=_by_value) for name in names]
    members: dict[tuple[str | None, ...], list[int]] = {}
    for place in counted.tolist():
        members.setdefault(tuple(attributes[name][topics[place]] for name in names), []).append(place)
    keys = members if len(members) > MOST_SUBSETS else product(*levels)
    return [Subset(dict(zip(names, key, strict=True)), np.array(members[key])) for key in keys if key in members]


def _by_value(value: str | None) -> tuple[bool, float, str]:
    """Numbers by size, then words, none last."""
    word = value or ""
    number = float(word) if word.replace(".", "", 1).isdecimal() else float("inf")  # "²" is a digit, but no number
    return value is None, number, word
