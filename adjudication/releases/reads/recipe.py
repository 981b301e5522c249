"""What a release consists of: which exports of which campaigns, and the judged sets that loaders read.

A recipe follows from what the collection holds. An export that cannot be written (scores over aspects that were never
judged, say) is left out with its reason, which is printed; undecided items are left out of a file, and the
check list says how many there are.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from django.db.models import Exists, OuterRef, Q

from accounts.refusals import Refused
from adjudication.exporting.exporter import Exporter, Finding, Options
from adjudication.exporting.findings import find
from adjudication.exporting.forms import ASPECT, CONTEXT_LEVELS, QUERY, SUB_QUERY
from adjudication.exporting.options import options_of
from adjudication.exporting.streams import column
from adjudication.exports.exporters import questions
from adjudication.exports.exporters.qrels import qrel_rows
from adjudication.exports.exporters.topics import trec_topics
from adjudication.exports.registry import EXPORTERS
from adjudication.papers.contexts import context_topic_records
from annotation.kind import Judged
from annotation.models import Assignment, AssignmentState, Campaign, CampaignState, Criterion
from corpus.formats.acm_cr_topics import merged_qrels
from corpus.formats.records import QrelRow, TopicRecord
from corpus.models import Collection

QUESTION_FILES = {
    "litsearch": "litsearch.jsonl",
    "litsearch-parquet": "litsearch.parquet",
    "question-topics": "questions.trec",
    "question-qrels": "questions.qrels",
    "question-statistics": "statistics.csv",
}


@dataclass(frozen=True)
class Part:
    """One export in the release: its path (a folder where it is an archive), and the options it is written with."""

    path: str
    options: Options

    @property
    def exporter(self) -> Exporter:
        return self.options.exporter

    @property
    def is_by_annotator(self) -> bool:
        return bool(self.options["annotators"])


@dataclass(frozen=True)
class Gold:
    """One judged set: queries and their qrels, as BEIR, MTEB and `datasets` read them.

    `topics` and `qrels` may be read several times. `grades` are (value, label, definition).
    """

    name: str
    about: str
    topics: Callable[[], Iterator[TopicRecord]]
    qrels: Callable[[], Iterable[QrelRow]]
    grades: tuple[tuple[int, str, str], ...] = ()
    split: str = "test"


@dataclass(frozen=True)
class Recipe:
    """The exports, the judged sets, and {path: why it is left out}."""

    collection: Collection
    campaigns: tuple[Campaign, ...]
    parts: tuple[Part, ...]
    golds: tuple[Gold, ...]
    left_out: dict[str, str]
    unwritable: dict[int, list[tuple[Criterion, Finding]]]  # by campaign of which no qrels can be written
    slugs: Mapping[int, str]  # {campaign id: what paths have}


def released_campaigns(collection: Collection) -> list[Campaign]:
    """All campaigns but drafts without labels (a draft may hold imported ones), the main ones first."""
    labels = Assignment.objects.filter(item__campaign=OuterRef("pk"), state=AssignmentState.DONE)
    found = collection.campaigns.filter(~Q(state=CampaignState.DRAFT) | Exists(labels))
    order = {"main": 0, "test": 1, "dev": 2}
    return sorted(found, key=lambda one: (order[one.split], one.slug))


def make_recipe(collection: Collection, slugs: Mapping[int, str] | None = None) -> Recipe:
    """The recipe of the collection as it is now; `slugs` are {campaign id: what paths have instead of its slug}."""
    campaigns = released_campaigns(collection)
    for campaign in campaigns:
        campaign.collection = collection
    maker = _Maker(collection, slugs or {one.pk: one.slug for one in campaigns})
    maker.add_collection()
    for campaign in campaigns:
        if campaign.kind_object.judges == Judged.DOCUMENTS:
            maker.add_documents(campaign)
    if any(one.kind_object.judges == Judged.QUESTIONS for one in campaigns):
        maker.add_questions()
    if collection.papers.exists():
        maker.add_contexts()
    return Recipe(
        collection,
        tuple(campaigns),
        tuple(maker.parts),
        tuple(maker.golds),
        maker.left_out,
        maker.unwritable,
        maker.slugs,
    )


class _Maker:
    def __init__(self, collection: Collection, slugs: Mapping[int, str]) -> None:
        self.collection, self.slugs = collection, slugs
        self.parts: list[Part] = []
        self.golds: list[Gold] = []
        self.left_out: dict[str, str] = {}
        self.unwritable: dict[int, list[tuple[Criterion, Finding]]] = {}
        self.memo: dict[Any, Any] = {}

    def add(self, path: str, name: str, **asked: Any) -> Options | None:
        """Put the export into the recipe, or the reason why it cannot be written. The options where it can."""
        exporter = EXPORTERS[name]
        if "unresolved" in exporter.form.base_fields:
            asked["unresolved"] = "skip"
        try:
            options = options_of(exporter, self.collection, asked)
        except Refused as refusal:
            self.left_out[path] = refusal.reason
            return None
        if fatal := [each for each in find(options, self.memo) if each.is_fatal]:
            self.left_out[path] = " ".join(each.text for each in fatal)
            return None
        self.parts.append(Part(path, options))
        return options

    def add_collection(self) -> None:
        self.add("documents.jsonl", "documents")
        self.add("topics/topics.jsonl", "topics-jsonl")
        self.add("topics/topics.trec", "topics")
        if self.collection.topics.filter(aspects__isnull=False).exists():
            self.add("topics/aspects.tsv", "aspects")
            self.add("topics/queries.txt", "queries-txt")
        if self.collection.sub_queries.exists():
            self.add("topics/sub-queries.trec", "topics", level=SUB_QUERY)
        if self.collection.splits.exists():
            self.add("topics/splits.jsonl", "splits")

    def add_documents(self, campaign: Campaign) -> None:
        """Qrels of each criterion by query, aspect and sub-query, of verdicts and by annotator."""
        slug = self.slugs[campaign.pk]
        for criterion in campaign.criteria.all():
            asked = {"campaign": campaign.slug, "criterion": criterion.key}
            folder = f"campaigns/{slug}/{criterion.key}"
            levels = [QUERY, ASPECT] if campaign.items.filter(aspect__isnull=False).exists() else [QUERY]
            levels += [SUB_QUERY] if self.collection.sub_queries.exists() else []
            written = [self._qrels(folder, level, **asked) for level in levels]
            for level in levels[:2]:
                self.add(f"{folder}.{level}.annotators.qrels", "qrels", level=level, annotators="1", **asked)
            if ASPECT in levels:
                self.add(f"{folder}.diversity.qrels", "diversity", **asked)
                self.add(f"{folder}.doris-mae.json", "doris-mae", **asked)
            if not any(written):
                refused = options_of(EXPORTERS["qrels"], self.collection, {**asked, "unresolved": "skip"})
                self.unwritable.setdefault(campaign.pk, []).extend(
                    (criterion, each) for each in find(refused, self.memo) if each.is_fatal
                )
                continue
            chosen = next(options for options in written if options)
            name = slug if campaign.criteria.count() == 1 else f"{slug}-{criterion.key}"
            self.golds.append(_campaign_gold(name, chosen))

    def _qrels(self, folder: str, level: str, **asked: Any) -> Options | None:
        return self.add(f"{folder}.{level}.qrels", "qrels", level=level, **asked)

    def add_questions(self) -> None:
        found = [self.add(f"questions/{file}", name) for name, file in QUESTION_FILES.items()]
        if found[0] is not None:
            options = found[0]
            self.golds.append(
                Gold(
                    "questions",
                    "Questions that were kept, with the papers that answer them.",
                    lambda: questions.topic_records(questions.question_set(options)),
                    lambda: questions.qrel_rows(questions.question_set(options)),
                    ((1, "target", "A paper known to answer the question."),),
                )
            )

    def add_contexts(self) -> None:
        for level in CONTEXT_LEVELS:
            self.add(f"contexts/{level}.trec", f"topics:{level}")
            options = self.add(f"contexts/{level}.qrels", f"qrels:{level}")
            if options is not None:
                self.golds.append(_context_gold(level, options))
        self.add("contexts/acm-cr", "acm-cr")
        self.add("contexts/citing-papers.txt", "blacklist")


def _campaign_gold(name: str, options: Options) -> Gold:
    campaign, criterion = options.campaign, options.criterion
    levels = list(criterion.levels.all()) if criterion else []
    summed = options.level != ASPECT and bool(campaign and campaign.items.filter(aspect__isnull=False).exists())
    grades = tuple((each.value, each.label, each.definition) for each in levels)
    what = {QUERY: "Documents for each query", ASPECT: "Documents for each aspect", SUB_QUERY: "For each sub-query"}
    about = f"{what[options.level]}, judged in campaign “{campaign}” ({criterion})."
    if summed:
        about += " A grade is the sum over all aspects of the query."
    return Gold(
        name,
        about,
        lambda: trec_topics(options),
        lambda: qrel_rows(options),
        () if summed else grades,
        "dev" if campaign and campaign.split == "dev" else "test",
    )


def _context_gold(level: str, options: Options) -> Gold:
    def topics() -> Iterator[TopicRecord]:
        seen: set[str] = set()
        for topic, _ in context_topic_records(options):
            if topic.number not in seen:
                seen.add(topic.number)
                yield topic

    return Gold(
        f"contexts-{level}",
        f"Citation contexts ({level}s) as queries; the documents cited there are relevant.",
        topics,
        lambda: (replace(row, iteration="0") for row in merged_qrels(context_topic_records(options))),
        ((1, "cited", "Cited in this context."),),
    )


def pseudonymous(found: Iterable[QrelRow], names: dict[str, str]) -> Iterator[QrelRow]:
    """Qrels by annotator under pseudonyms, sorted by these: the order of real names would tell them apart."""
    written = {column(name): column(pseudonym) for name, pseudonym in names.items()}
    for _, rows in groupby(found, key=lambda row: (row.topic, row.docno)):
        named = (QrelRow(row.topic, written[row.iteration], row.docno, row.value) for row in rows)
        yield from sorted(named, key=lambda row: row.iteration)


def rows_by_annotator(part: Part, names: dict[str, str]) -> Sequence[QrelRow] | Iterator[QrelRow]:
    """The rows of an export of qrels by annotator, under pseudonyms."""
    return pseudonymous(qrel_rows(part.options), names)
