"""What a release consists of: which exports of which campaigns, and the judged sets that loaders read.

A recipe follows from what the collection holds. An export that cannot be written (scores over aspects that were never
judged, say) is left out with its reason, which is printed; undecided items are left out of a file, and the
check list says how many there are.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from django.db.models import Exists, OuterRef, Q

from accounts.doors import NO_DOOR, through
from accounts.refusals import Refused
from adjudication.agreement.standing import exact_standings
from adjudication.exporting.exporter import NOWHERE, Finding, Options
from adjudication.exporting.findings import find
from adjudication.exporting.forms import ASPECT, CONTEXT_LEVELS, QUERY, SUB_QUERY
from adjudication.exporting.options import options_of
from adjudication.exporting.registry import EXPORTERS
from adjudication.exporting.streams import column
from adjudication.exports.exporters import questions
from adjudication.exports.exporters.qrels import qrel_rows
from adjudication.exports.exporters.topics import trec_topics
from adjudication.labels.staleness import Standing
from adjudication.models import AgreementRun, VoteRun
from adjudication.papers.contexts import context_topic_records
from adjudication.releases.people import Pseudonyms
from adjudication.releases.set_lines import QUESTIONS, context_lines, context_set, question_lines
from annotation.kind import Judged
from annotation.models import Assignment, AssignmentState, Campaign, CampaignState, Criterion
from corpus.models import Collection
from engines.formats.acm_cr_topics import merged_qrels
from engines.formats.records import QrelRow, TopicRecord

PSEUDONYMOUS = "renamed"  # says how names of annotators are written, who have pseudonyms here
QUESTION_SET = "questions/litsearch.jsonl"
QUESTION_FILES = {
    "litsearch": "litsearch.jsonl",
    "litsearch-parquet": "litsearch.parquet",
    "question-topics": "questions.trec",
    "question-qrels": "questions.qrels",
    "question-statistics": "statistics.csv",
}


@dataclass(frozen=True)
class JudgedSet:
    """One judged set: queries and their qrels, as BEIR, MTEB and `datasets` read them.

    `topics` and `qrels` may be read several times. `grades` are (value, label, definition). `lines` explain qrels that
    no campaign's verdicts are.
    """

    name: str
    about: str
    topics: Callable[[], Iterator[TopicRecord]]
    qrels: Callable[[], Iterable[QrelRow]]
    grades: tuple[tuple[int, str, str], ...] = ()
    split: str = "test"
    lines: Callable[[Pseudonyms], Iterator[dict[str, Any]]] | None = None

    @property
    def pairs(self) -> str:
        """What its pairs of query and document are: nobody judged those that targets and citations make."""
        return "judged" if self.lines is None else "relevant"


@dataclass
class Recipe:
    """What a release is made of, filled by `make_recipe`.

    `parts` are {path: options of the export that is written there}; where the export is an archive, the path is that
    of a folder. `left_out` are {path: reason}; `notes` {path: what else is to be known of what it holds}.
    """

    collection: Collection
    campaigns: tuple[Campaign, ...]
    slugs: Mapping[int, str]  # {campaign id: what paths have}
    parts: dict[str, Options] = field(default_factory=dict)
    judged_sets: list[JudgedSet] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)
    unwritable: dict[int, list[tuple[Criterion, Finding]]] = field(default_factory=dict)  # by campaign without qrels
    memo: dict[Any, Any] = field(default_factory=dict)  # what findings have read
    standings: dict[int, tuple[Standing[VoteRun], Standing[AgreementRun]]] = field(default_factory=dict)

    def standing_of(self, campaign: Campaign) -> tuple[Standing[VoteRun], Standing[AgreementRun]]:
        """Whether votes and agreement of a campaign are exactly of today, read once."""
        if campaign.pk not in self.standings:
            self.standings[campaign.pk] = exact_standings(campaign)
        return self.standings[campaign.pk]

    def add(self, path: str, name: str, **words: Any) -> Options | None:
        """Put the export into the recipe, or the reason why it cannot be written. The options where it can."""
        exporter = EXPORTERS[name]
        if "unresolved" in exporter.form.base_fields:
            words["unresolved"] = "skip"
        try:
            with through(NO_DOOR):  # the reason is printed
                options = options_of(exporter, self.collection, words)
        except Refused as refusal:
            self.left_out[path] = refusal.reason
            return None
        found = find(options, self.memo)
        if fatal := [each for each in found if each.is_fatal]:
            self.left_out[path] = " ".join(each.fact for each in fatal)
            return None
        self.parts[path] = options
        if noted := [each.fact for each in found if each.code != PSEUDONYMOUS]:
            self.notes[path] = noted
        return options

    def leave_out(self, reasons: Mapping[str, str]) -> None:
        """Take out what would be empty files."""
        self.left_out.update(reasons)
        for path in reasons:
            self.parts.pop(path, None)
            self.notes.pop(path, None)


def released_campaigns(collection: Collection) -> list[Campaign]:
    """All campaigns but practice, and drafts without labels (a draft may hold imported ones); the main ones first."""
    labels = Assignment.objects.filter(item__campaign=OuterRef("pk"), state=AssignmentState.DONE)
    found = collection.campaigns.counted().filter(~Q(state=CampaignState.DRAFT) | Exists(labels))
    order = {"main": 0, "test": 1, "dev": 2}
    return sorted(found, key=lambda one: (order[one.split], one.slug))


def make_recipe(collection: Collection, slugs: Mapping[int, str] | None = None) -> Recipe:
    """The recipe of the collection as it is now; `slugs` are {campaign id: what paths have instead of its slug}."""
    campaigns = released_campaigns(collection)
    for campaign in campaigns:
        campaign.collection = collection
    recipe = Recipe(collection, tuple(campaigns), slugs or {one.pk: one.slug for one in campaigns})
    _add_collection(recipe)
    for campaign in campaigns:
        if campaign.kind_object.judges == Judged.DOCUMENTS:
            for criterion in campaign.criteria.all():
                _add_documents(recipe, campaign, criterion)
    if any(one.kind_object.judges == Judged.QUESTIONS for one in campaigns):
        _add_questions(recipe)
    if collection.papers.exists():
        _add_contexts(recipe)
    return recipe


def _add_collection(recipe: Recipe) -> None:
    collection = recipe.collection
    recipe.add("documents.jsonl", "documents")
    recipe.add("topics/topics.jsonl", "topics-jsonl")
    recipe.add("topics/topics.trec", "topics")
    if collection.topics.filter(aspects__isnull=False).exists():
        recipe.add("topics/aspects.tsv", "aspects")
        recipe.add("topics/queries.txt", "queries-txt")
    if collection.sub_queries.exists():
        recipe.add("topics/sub-queries.trec", "topics", level=SUB_QUERY)
    if collection.splits.exists():
        recipe.add("topics/splits.jsonl", "splits")


def _add_documents(recipe: Recipe, campaign: Campaign, criterion: Criterion) -> None:
    """Qrels by query, aspect and sub-query, of verdicts and by annotator; the judged set is the first of verdicts."""
    slug, words = recipe.slugs[campaign.pk], {"campaign": campaign.slug, "criterion": criterion.key}
    folder = f"campaigns/{slug}/{criterion.key}"
    levels = [QUERY, ASPECT] if campaign.items.filter(aspect__isnull=False).exists() else [QUERY]
    levels += [SUB_QUERY] if recipe.collection.sub_queries.exists() else []
    written = [recipe.add(f"{folder}.{level}.qrels", "qrels", level=level, **words) for level in levels]
    for level in levels[:2]:
        recipe.add(f"{folder}.{level}.annotators.qrels", "qrels", level=level, annotators="1", **words)
    if ASPECT in levels:
        recipe.add(f"{folder}.diversity.qrels", "diversity", **words)
        recipe.add(f"{folder}.doris-mae.json", "doris-mae", **words)
    if first := next(filter(None, written), None):
        name = slug if campaign.criteria.count() == 1 else f"{slug}-{criterion.key}"
        recipe.judged_sets.append(_campaign_set(name, first))
        return
    refused = options_of(EXPORTERS["qrels"], recipe.collection, {**words, "unresolved": "skip"})
    found = find(replace(refused, asked_for=NOWHERE), recipe.memo)
    fatal = [(criterion, each) for each in found if each.is_fatal]
    recipe.unwritable.setdefault(campaign.pk, []).extend(fatal)


def _add_questions(recipe: Recipe) -> None:
    options, *_ = [recipe.add(f"questions/{file}", name) for name, file in QUESTION_FILES.items()]
    if options is not None:
        recipe.judged_sets.append(
            JudgedSet(
                QUESTIONS,
                "Questions that were kept, with their targets: the papers given as answers.",
                lambda: questions.topic_records(questions.question_set(options)),
                lambda: questions.qrel_rows(questions.question_set(options)),
                ((1, "target", "Given as an answer to the question."),),
                lines=lambda people: question_lines(options, people),
            )
        )


def _add_contexts(recipe: Recipe) -> None:
    for level in CONTEXT_LEVELS:
        recipe.add(f"contexts/{level}.trec", f"topics:{level}")
        options = recipe.add(f"contexts/{level}.qrels", f"qrels:{level}")
        if options is not None:
            shared = any(each.code == "repeated-numbers" for each in find(options, recipe.memo))
            recipe.judged_sets.append(_context_set(level, options, shared=shared))
    recipe.add("contexts/acm-cr", "acm-cr")
    recipe.add("contexts/citing-papers.txt", "blacklist")


def _campaign_set(name: str, options: Options) -> JudgedSet:
    campaign, criterion = options.campaign, options.criterion
    levels = list(criterion.levels.all()) if criterion else []
    summed = options.level != ASPECT and bool(campaign and campaign.items.filter(aspect__isnull=False).exists())
    grades = tuple((each.value, each.label, each.definition) for each in levels)
    what = {QUERY: "Documents for each query", ASPECT: "Documents for each aspect", SUB_QUERY: "For each sub-query"}
    about = f"{what[options.level]}, judged in campaign “{campaign}” ({criterion})."
    if summed:
        about += f" A grade is the sum over all aspects of the {options.level}."
    return JudgedSet(
        name,
        about,
        lambda: trec_topics(options),
        lambda: qrel_rows(options),
        () if summed else grades,
        "dev" if campaign and campaign.split == "dev" else "test",
    )


def _context_set(level: str, options: Options, *, shared: bool) -> JudgedSet:
    def topics() -> Iterator[TopicRecord]:
        seen: set[str] = set()
        for topic, _ in context_topic_records(options):
            if topic.number not in seen:
                seen.add(topic.number)
                yield topic

    return JudgedSet(
        context_set(level),
        f"Citation contexts ({level}s) as queries; the documents cited there are relevant.{FIRST_TEXT * shared}",
        topics,
        lambda: (replace(row, iteration="0") for row in merged_qrels(context_topic_records(options))),
        ((1, "cited", "Cited in this context."),),
        lines=lambda _: context_lines(options),
    )


FIRST_TEXT = " Where two contexts share a number, the text is that of the first."


def pseudonymous(found: Iterable[QrelRow], names: dict[str, str]) -> Iterator[QrelRow]:
    """Qrels by annotator under pseudonyms, sorted by these: the order of real names would identify people."""
    written = {column(name): column(pseudonym) for name, pseudonym in names.items()}
    for _, rows in groupby(found, key=lambda row: (row.topic, row.docno)):
        named = (QrelRow(row.topic, written[row.iteration], row.docno, row.value) for row in rows)
        yield from sorted(named, key=lambda row: row.iteration)
