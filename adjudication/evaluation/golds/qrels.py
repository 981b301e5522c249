"""Golds that were judged elsewhere: imported qrels, and on the command line those of a file."""

from collections.abc import Sequence
from typing import ClassVar

from django.db.models import Count, IntegerField, QuerySet, Sum
from django.db.models.functions import Coalesce

from accounts.refusals import Refused
from adjudication.evaluation.golds.kind import (
    ASPECT,
    QUERY,
    RELEVANCE,
    SUB_QUERY,
    Choices,
    GoldKind,
    GoldRequest,
    Grades,
    LoadedGold,
    Selector,
)
from adjudication.models import ImportedQrels
from annotation.kind import Judged
from annotation.models import Campaign
from corpus.loading.topic_numbers import LABEL
from corpus.models import Collection
from corpus.runs.recipes.queries import aspect_numbers
from engines.formats.topic_numbers import WAYS, best_way, in_words
from engines.stats.rankings import make_gold

PARTIAL = "Leave out rows that cannot be read and topics that are not here"  # an option of importing qrels


class QrelsGold(GoldKind):
    """TREC qrels over the collection's topics."""

    name = "qrels"
    label = "Imported qrels"
    about = "TREC qrels that were imported; on the command line also a file."
    takes_name = "NAME"
    options: ClassVar = {"relevance": RELEVANCE}

    def choices(self, collection: Collection) -> Choices:
        known = ImportedQrels.objects.filter(collection=collection).order_by("name")
        return [(str(Selector(self.name, each.name)), f"Qrels {each.name}") for each in known]

    def check(self, request: GoldRequest) -> None:
        if request.name not in request.files:
            _imported(request)

    def protected_campaigns(self, request: GoldRequest) -> Sequence[Campaign]:
        """They are labels of the collection's documents, no matter whose, and could sway those who still judge."""
        return list(request.collection.campaigns.judging(Judged.DOCUMENTS))

    def read(self, request: GoldRequest) -> LoadedGold:
        grades, unknown, unit = in_collection(request.collection, _grades(request))
        if not grades:
            if request.name in request.files:
                raise Refused(_mostly_missing(request, unknown))
            raise Refused(
                f"No topic of the qrels {request.name} is in {request.collection.slug}: they belong to another"
                " collection."
            )
        if request.name in request.files and len(unknown) > len(grades):
            raise Refused(_mostly_missing(request, unknown))
        notes = ["Documents that the qrels do not name count as not relevant; condensed lists leave them out."]
        if unknown:
            some = ", ".join(unknown[:3]) + (" …" if len(unknown) > 3 else "")
            notes.append(f"{len(unknown):,} topics of the qrels are not in the collection and left out: {some}.")
        gold = make_gold(grades, relevance=request.relevance)
        more = {"unit": unit, "notes": tuple(notes), "facts": (["unknown", *unknown],)}
        return self.loaded(request, f"qrels {request.name}", gold, **more)


def _mostly_missing(request: GoldRequest, unknown: list[str]) -> str:
    """Why qrels of a file whose topics are mostly not here are refused, and what to do."""
    numbers = request.files[request.name].keys()
    reason = (
        f"{len(unknown):,} of the {len(numbers):,} topics of {request.name} are not in {request.collection.slug}, "
        f"such as {unknown[0]}."
    )
    way, found = best_way(numbers, set(request.collection.topics.values_list("number", flat=True)))
    if way:
        return f"{reason} {in_words(found, way)}. Import the qrels, with “{LABEL}” set to “{WAYS[way].label}”."
    return f"{reason} Import these topics first, or import the qrels with “{PARTIAL}”."


def _grades(request: GoldRequest) -> Grades:
    """The judgments: of a file that was given, else of imported qrels."""
    if request.name in request.files:
        return request.files[request.name]
    found = _imported(request)
    rows = found.topics.order_by("pk").values_list("number", "docnos", "grades")
    return {number: dict(zip(docnos, map(float, grades), strict=True)) for number, docnos, grades in rows}


def _imported(request: GoldRequest) -> ImportedQrels:
    """The qrels of this name. Errors: Refused naming those there are."""
    known = ImportedQrels.objects.filter(collection=request.collection)
    found = known.filter(name=request.name).first()
    if found is None:
        names = ", ".join(known.order_by("name").values_list("name", flat=True))
        raise Refused(
            f"There are no qrels “{request.name[:60]}”. " + (f"There are: {names}." if names else "None are imported.")
        )
    return found


def in_collection(collection: Collection, grades: Grades) -> tuple[Grades, list[str], str]:
    """(grades of the collection's topics by their number here, the numbers it lacks, what the topics are).

    A number is that of a topic, as it stands; else as released, where more numbers are those of one level of contexts
    than stand here so; else of a sub-query; else of an aspect. Importing runs follows the same rule.
    """
    topics = {topic.number: topic for topic in collection.topics.only("collection", "number", "prefix")}
    found, unit = {number: number for number in topics if number in grades}, QUERY
    levels: dict[str, dict[str, str]] = {}
    for number, topic in topics.items():
        if topic.prefix and topic.bare_number in grades:
            levels.setdefault(topic.prefix, {})[topic.bare_number] = number
    bare = max((levels[prefix] for prefix in sorted(levels)), key=len, default={})
    if len(bare) > len(found):
        found |= bare
    if not found:
        numbers = collection.sub_queries.filter(number__in=list(grades)).values_list("number", flat=True)
        found, unit = {number: number for number in numbers}, SUB_QUERY
    if not found:
        found = {number: number for number, _ in aspect_numbers(collection.pk) if number in grades}
        unit = ASPECT if found else QUERY
    own = {found[number]: judged for number, judged in grades.items() if number in found}
    return own, [number for number in grades if number not in found], unit


def imported_qrels(collection: Collection) -> QuerySet[ImportedQrels]:
    """By name, each with `n_topics` and `n_judgments`."""
    sizes = Coalesce(Sum("topics__docnos__len", output_field=IntegerField()), 0)
    known = ImportedQrels.objects.filter(collection=collection)
    return known.annotate(n_topics=Count("topics"), n_judgments=sizes).order_by("name")
