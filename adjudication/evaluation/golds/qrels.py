"""Golds from files: qrels that somebody else made."""

from typing import ClassVar

from accounts.refusals import Refused
from adjudication.evaluation.golds.kind import (
    QUERY,
    RELEVANCE,
    SUB_QUERY,
    Choices,
    GoldKind,
    GoldRequest,
    Grades,
    LoadedGold,
)
from adjudication.stats.rankings import make_gold
from corpus.models import Collection


class Qrels(GoldKind):
    """TREC qrels over the collection's topics."""

    name = "qrels"
    label = "Imported qrels"
    about = "TREC qrels: a file on the command line."
    takes_name = "FILE"
    options: ClassVar = {"relevance": RELEVANCE}

    def choices(self, collection: Collection) -> Choices:  # noqa: ARG002
        return []

    def read(self, asked: GoldRequest) -> LoadedGold:
        if asked.name not in asked.files:
            raise Refused(f"There are no qrels “{asked.name[:60]}”.")
        grades, unknown, unit = _own(asked.collection, asked.files[asked.name])
        if not grades:
            raise Refused(f"No topic of the qrels {asked.name} is in {asked.collection.slug}: they are of another one.")
        notes = ["Documents that the qrels do not name count as not relevant, unless condensed lists are asked for."]
        if unknown:
            some = ", ".join(unknown[:3]) + (" …" if len(unknown) > 3 else "")
            notes.append(f"{len(unknown):,} topics of the qrels are not in the collection and left out: {some}.")
        gold = make_gold(grades, relevance=asked.relevance)
        return self.found(asked, f"qrels {asked.name}", gold, unit=unit, notes=tuple(notes))


def _own(collection: Collection, grades: Grades) -> tuple[Grades, list[str], str]:
    """(grades of the collection's topics by their number here, the numbers it lacks, what the topics are).

    A number is that of a topic, as it stands or as released, else of a sub-query.
    """
    found: dict[str, str] = {}
    for topic in collection.topics.only("number", "prefix"):
        found.setdefault(topic.bare_number, topic.number)
        found[topic.number] = topic.number
    unit = QUERY
    if not any(number in found for number in grades):
        found = {number: number for number in collection.sub_queries.values_list("number", flat=True)}
        unit = SUB_QUERY
    own = {found[number]: judged for number, judged in grades.items() if number in found}
    return own, [number for number in grades if number not in found], unit
