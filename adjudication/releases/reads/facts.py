"""What happened on the way to a release, read once: counts, people, times, sources. The cards put it in sentences."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Count, Max, Min, Sum

from accounts.models import JobState
from adjudication.labels.reads.staleness import Standing
from adjudication.models import AgreementRun, Method, Release, Verdict, VoteRun
from adjudication.releases.reads.agreement import agreement_sentences
from adjudication.releases.reads.people import Pseudonyms
from adjudication.releases.reads.recipe import Recipe
from adjudication.releases.reads.statement import answers_of
from annotation.models import AnnoCycle, Annotator, AnnotatorKind, Campaign, Judgment, Submission, SubmissionKind
from corpus.models import GeneratedQuestion, ImportRun, PoolEntry, PoolSource


@dataclass(frozen=True)
class CampaignFacts:
    """One campaign: how much was judged by how many, when, and how it was decided."""

    campaign: Campaign
    items: int
    labels: int
    imported: int
    machine_labels: int
    people: int
    machines: tuple[str, ...]
    hours: float | None
    first: datetime | None
    last: datetime | None
    guidelines: int
    votes: VoteRun | None
    votes_since: str  # what has changed since they were counted
    methods: dict[str, int]
    agreement: tuple[str, ...]  # none where the newest figures are of other labels than the release
    agreement_since: str
    skipped: dict[str, int]
    without_verdict: int


@dataclass(frozen=True)
class Pictures:
    """{campaign's name in paths: path of its picture}, and why a campaign has none: {name: reason}.

    Of a release that is made again, `folder` is where they are taken from: the browser of today may draw
    otherwise.
    """

    paths: dict[str, str] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    folder: Path | None = None


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
    generated: int
    people: Pseudonyms
    findings: tuple[dict[str, Any], ...] = ()
    changes: tuple[str, ...] = field(default=())
    earlier: tuple[Release, ...] = ()
    pictures: Pictures = field(default_factory=Pictures)

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


def gather(release: Release, recipe: Recipe, people: Pseudonyms) -> Facts:
    """The facts as the database has them now."""
    collection = recipe.collection
    pooled = PoolSource.objects.filter(entry__topic__collection=collection)
    earlier = collection.releases.frozen().filter(version__lt=release.version)
    return Facts(
        release=release,
        recipe=recipe,
        answers=answers_of(collection),
        campaigns=tuple(_campaign(one, *recipe.standing_of(one)) for one in recipe.campaigns),
        documents=collection.documents.count(),
        topics=collection.topics.count(),
        pooled=PoolEntry.objects.filter(topic__collection=collection).count(),
        methods=dict(pooled.values_list("method").annotate(n=Count("pk")).order_by("method")),
        imports=tuple(
            ImportRun.objects.filter(
                collection=collection, state=JobState.DONE, dry_run=False, undone_at=None
            ).order_by("pk")
        ),
        cycles=tuple(AnnoCycle.objects.filter(collection=collection).order_by("number")),
        generated=GeneratedQuestion.objects.filter(reply__run__collection=collection).count(),
        people=people,
        findings=tuple(release.findings),
        earlier=tuple(earlier.order_by("-version")),
    )


def platform() -> str:
    """What the data were made with."""
    return f"Litmus {settings.CODE_VERSION}"


def _campaign(campaign: Campaign, votes: Standing[VoteRun], agreement: Standing[AgreementRun]) -> CampaignFacts:
    labels = Judgment.objects.filter(
        assignment__item__campaign=campaign, assignment__state="done", assignment__repeat=0
    )
    machine = labels.filter(assignment__annotator__kind=AnnotatorKind.MACHINE)
    people = labels.filter(assignment__annotator__kind=AnnotatorKind.HUMAN)
    given = Submission.objects.filter(assignment__item__campaign=campaign)
    times = given.aggregate(first=Min("received_at"), last=Max("received_at"), active=Sum("active_ms"))
    verdicts = Verdict.objects.filter(item__campaign=campaign)
    items = campaign.items.count()
    machines = Annotator.objects.filter(campaign=campaign, kind=AnnotatorKind.MACHINE).order_by("name")
    return CampaignFacts(
        campaign=campaign,
        items=items,
        labels=people.count(),
        imported=people.filter(submission__kind=SubmissionKind.IMPORT).count(),
        machine_labels=machine.count(),
        people=people.values("assignment__annotator").distinct().count(),
        machines=tuple(machines.values_list("name", flat=True)),
        hours=times["active"] / 3_600_000 if times["active"] else None,
        first=times["first"],
        last=times["last"],
        guidelines=campaign.guidelines.count(),
        votes=votes.run,
        votes_since=votes.since,
        methods={
            str(Method(name).label): n
            for name, n in verdicts.values_list("method").annotate(n=Count("pk")).order_by("method")
        },
        agreement=tuple(agreement_sentences(agreement.run)) if agreement.run and not agreement.is_stale else (),
        agreement_since=agreement.since,
        skipped=dict(
            given.filter(kind="skip")
            .exclude(reason="")
            .values_list("reason")
            .annotate(n=Count("pk"))
            .order_by("reason")
        ),
        without_verdict=items * campaign.criteria.count() - verdicts.filter(value__isnull=False).count(),
    )
