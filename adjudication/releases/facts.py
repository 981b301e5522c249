"""What happened on the way to a release, read once: counts, people, times, sources. The cards put it in sentences."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db.models import Count, Q

from accounts.models import JobState
from adjudication.exports.exporters.documents import searched_documents
from adjudication.exports.exporters.questions import question_set
from adjudication.exports.exporters.topics import published_topics
from adjudication.models import Release
from adjudication.papers.contexts import source_words
from adjudication.releases.campaigns import CampaignFacts, campaign_facts
from adjudication.releases.consent import consent_of
from adjudication.releases.origins import author_calls, question_runs, run_recipes
from adjudication.releases.people import Pseudonyms
from adjudication.releases.recipe import QUESTION_SET, Recipe
from adjudication.releases.statement import answers_of
from annotation.gold.results import practice_sentences
from annotation.models import AnnoCycle
from annotation.papers.gold import ORIGINS, STATUS_LABELS, gold_of
from corpus.models import Collection, ImportRun, PoolEntry, PoolSource
from corpus.models.topics import TopicKind
from corpus.questions.authors import contributors_of

NOT_RELEASED = ("qrels",)  # kinds of imports of which nothing is in a release
CONTEXTS = (TopicKind.CONTEXT_PARAGRAPH, TopicKind.CONTEXT_SENTENCE)
UNKNOWN_WRITER = Q(imported_in__isnull=True, generated_question__isnull=True) & ~Q(kind__in=CONTEXTS)


@dataclass(frozen=True)
class Facts:
    """Everything the describing files say. `answers` are what people stated."""

    release: Release
    recipe: Recipe
    answers: Mapping[str, str]
    campaigns: tuple[CampaignFacts, ...]
    documents: int
    topics: int
    pooled: int
    methods: dict[str, int]
    imports: tuple[ImportRun, ...]
    cycles: tuple[AnnoCycle, ...]
    generated: int  # topics of the release that a language model wrote
    rewritten: int  # questions of the question set that have another wording than their topic
    question_runs: tuple[dict[str, Any], ...]
    author_calls: tuple[dict[str, Any], ...]
    contributors: tuple[str, ...]  # authors of questions who want to be named
    runs: tuple[dict[str, Any], ...]
    extractions: tuple[str, ...]  # what the citation contexts of papers are made of, in words
    unknown_topics: bool  # whether topics came neither from files nor from papers or a model: who wrote them is unknown
    people: Pseudonyms
    consent: str = ""  # what people agreed to in Litmus, in words; "" where nothing was asked
    background: str = ""  # of people, in groups
    practice: tuple[str, ...] = ()  # what people did in trainings and qualifications, in sentences
    rows: Mapping[str, int | None] = field(default_factory=dict)  # of the files of data that were written
    findings: tuple[dict[str, Any], ...] = ()
    changes: tuple[str, ...] = field(default=())
    earlier: tuple[Release, ...] = ()

    @property
    def title(self) -> str:
        return self.recipe.collection.title

    @property
    def date(self) -> str:
        """The day of the release, as ISO 8601."""
        return self.release.requested_at.date().isoformat()

    @property
    def version(self) -> str:
        """As semantic versioning wants it: the name where it is one, else the running number."""
        parts = self.release.name.removeprefix("v").split(".")
        if all(part.isascii() and part.isdigit() for part in parts) and len(parts) <= 3:
            return ".".join([*parts, "0", "0"][:3])
        return f"{self.release.version}.0.0"

    @property
    def has_machine_labels(self) -> bool:
        return any(one.machine_labels for one in self.campaigns)


def gather(release: Release, recipe: Recipe, people: Pseudonyms, rows: Mapping[str, int | None] | None = None) -> Facts:
    """The facts as the database has them now; `rows` are those of the files of data that were written."""
    collection = recipe.collection
    pooled = PoolSource.objects.filter(entry__topic__collection=collection)
    earlier = collection.releases.frozen().filter(version__lt=release.version)
    topics = published_topics(collection)
    consent, background = consent_of(collection, recipe.campaigns)
    return Facts(
        release=release,
        recipe=recipe,
        answers=answers_of(collection),
        campaigns=tuple(campaign_facts(one, *recipe.standing_of(one)) for one in recipe.campaigns),
        documents=searched_documents(collection).count(),
        topics=topics.count(),
        pooled=PoolEntry.objects.filter(topic__collection=collection).count(),
        methods=dict(pooled.values_list("method").annotate(n=Count("pk")).order_by("method")),
        imports=tuple(
            ImportRun.objects.filter(collection=collection, state=JobState.DONE, dry_run=False, undone_at=None)
            .exclude(kind__in=NOT_RELEASED)
            .order_by("pk")
        ),
        cycles=tuple(AnnoCycle.objects.filter(collection=collection).order_by("number")),
        generated=topics.filter(generated_question__isnull=False).count(),
        rewritten=_rewritten(recipe),
        question_runs=tuple(question_runs(collection)),
        author_calls=tuple(author_calls(collection)),
        contributors=tuple(contributors_of(collection)),
        runs=tuple(run_recipes(collection)),
        extractions=tuple(_extractions(collection)),
        unknown_topics=topics.filter(UNKNOWN_WRITER).exists(),
        people=people,
        consent=consent,
        background=background,
        practice=practice_sentences(collection),
        rows=rows or {},
        findings=tuple(release.findings),
        earlier=tuple(earlier.order_by("-version")),
    )


def _rewritten(recipe: Recipe) -> int:
    options = recipe.parts.get(QUESTION_SET)
    return sum(bool(one.original) for one in question_set(options).kept) if options else 0


def _extractions(collection: Collection) -> Iterator[str]:
    """What the contexts of each paper are: what counts, and how many papers have nothing that counts."""
    golds = Counter(gold.origin for gold in gold_of(collection))
    yield from (f"{n:,} {words}" for n, words in source_words({name: golds[name] for name in ORIGINS}))
    if left := {name: n for name, n in golds.items() if name not in ORIGINS}:
        why = ", ".join(f"{STATUS_LABELS[name]}: {n:,}" for name, n in sorted(left.items()))
        yield f"{sum(left.values()):,} left out ({why})"


def platform() -> str:
    """What the data were made with."""
    return f"Litmus {settings.CODE_VERSION}"
