"""What is stored of each campaign of a release: how much was judged here or came from files, when, and how."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet, Subquery, Sum

from adjudication.following.costs import cost_sentence, costs_of
from adjudication.following.figures import quality_sentence
from adjudication.following.pay import paid
from adjudication.labels.staleness import Standing
from adjudication.machine_audits.released import audit_text
from adjudication.models import AgreementRun, Method, Verdict, VoteRun
from adjudication.releases.agreement import agreement_sentences
from annotation.assignment.ordering import judged_sample
from annotation.assignment.rejudging import rejudged_sentence
from annotation.gold.results import gold_results
from annotation.models import (
    Annotator,
    AnnotatorKind,
    Assignment,
    AssignmentState,
    Campaign,
    ExtractionRevision,
    Guideline,
    Judgment,
    Submission,
    SubmissionKind,
)


@dataclass(frozen=True)
class CampaignFacts:
    """One campaign: how much was judged by how many, when, and how it was decided.

    `labels` are those of people that count, `imported` those of them that came from files; `finished` are papers
    that people have finished in campaigns without criteria. `first` and `last`, `hours` and `skipped` are of
    answers of people in Litmus. `guidelines` are {version: answers given under it} of the versions that were shown
    to somebody or that answers name.
    """

    campaign: Campaign
    items: int
    labels: int
    imported: int
    machine_labels: int
    people: int
    machines: tuple[str, ...]
    finished: int
    hours: float | None
    gold: str  # how people answered items with a known answer, without names; "" where nobody did
    pay: str  # what people earned by the rate set in Litmus, without names; "" where none is set
    audits: str  # what audits of machine labels show; "" where there is none
    sample: str  # whether the judged items are a random sample of the campaign; "" where every item is judged
    costs: str  # what an answer cost, of people and of machines; "" where nobody answered in Litmus
    quality: str  # how carefully people judged by the newest count, without names; "" where nothing is known
    first: datetime | None
    last: datetime | None
    guidelines: dict[int, int]
    by_aspect: bool
    votes: VoteRun | None
    votes_since: str  # what has changed since they were counted
    decisions: dict[str, int]
    agreement: tuple[str, ...]  # none where the newest figures are of other labels than the release
    agreement_since: str
    skipped: dict[str, int]
    without_verdict: int

    @property
    def judged_here(self) -> bool:
        """Whether people judged in Litmus: only then its settings say how it was done."""
        return self.labels > self.imported or self.finished > 0

    @property
    def nouns(self) -> tuple[str, str]:
        """What its items are called: singular, plural."""
        return ("paper", "papers") if self.campaign.kind_object.no_criteria else ("item", "items")


def campaign_facts(campaign: Campaign, votes: Standing[VoteRun], agreement: Standing[AgreementRun]) -> CampaignFacts:
    """The facts as the database has them now."""
    done = {"assignment__item__campaign": campaign, "assignment__state": "done", "assignment__repeat": 0}
    labels = Judgment.objects.filter(**done)
    people = labels.filter(assignment__annotator__kind=AnnotatorKind.HUMAN)
    given = Submission.objects.filter(assignment__item__campaign=campaign)
    here = given.filter(assignment__annotator__kind=AnnotatorKind.HUMAN).exclude(kind=SubmissionKind.IMPORT)
    times = here.aggregate(first=Min("received_at"), last=Max("received_at"), active=Sum("active_ms"))
    extracted = _extracted(campaign)
    workers = people.values("assignment__annotator").distinct().count() or extracted["people"]
    verdicts = Verdict.objects.filter(item__campaign=campaign)
    items = campaign.items.count()
    return CampaignFacts(
        campaign=campaign,
        items=items,
        labels=people.count(),
        imported=people.filter(submission__kind=SubmissionKind.IMPORT).count(),
        machine_labels=labels.filter(assignment__annotator__kind=AnnotatorKind.MACHINE).count(),
        people=workers,
        machines=_machines(campaign),
        finished=extracted["papers"],
        gold=gold_results(campaign).sentence,
        pay=paid(campaign),
        audits=audit_text(campaign),
        sample=judged_sample(campaign).sentence if people.exists() else "",
        costs=cost_sentence(campaign, costs_of(campaign)),
        quality=" ".join(filter(None, (quality_sentence(campaign), rejudged_sentence(campaign)))),
        hours=times["active"] / 3_600_000 if times["active"] else None,
        first=times["first"] or extracted["first"],
        last=times["last"] or extracted["last"],
        guidelines=_guidelines(campaign, given),
        by_aspect=campaign.items.filter(aspect__isnull=False).exists(),
        votes=votes.run,
        votes_since=votes.since,
        decisions=_decisions(verdicts),
        agreement=tuple(agreement_sentences(agreement.run)) if agreement.run and not agreement.is_stale else (),
        agreement_since=agreement.since,
        skipped=_skipped(campaign),
        without_verdict=items * campaign.criteria.count() - verdicts.filter(value__isnull=False).count(),
    )


def released_guidelines(one: CampaignFacts) -> list[Guideline]:
    """The versions that go into a release: where nobody judged in Litmus, only those that answers name. A campaign is
    made with a guideline that people who labelled elsewhere have never seen."""
    return list(one.campaign.guidelines.order_by("version")) if one.judged_here else shown_guidelines(one.campaign)


def shown_guidelines(campaign: Campaign) -> list[Guideline]:
    """The versions that somebody was shown or that answers name, the oldest first."""
    seen = Annotator.objects.filter(campaign=campaign).values("guideline_seen")
    found = campaign.guidelines.filter(Q(submissions__isnull=False) | Q(version__in=seen))
    return list(found.distinct().order_by("version"))


def _guidelines(campaign: Campaign, given: QuerySet[Submission]) -> dict[int, int]:
    answers = given.filter(kind__in=[SubmissionKind.ANSWER, SubmissionKind.IMPORT]).order_by()
    counts = dict(answers.values_list("guideline").annotate(n=Count("pk")))
    return {one.version: counts.get(one.pk, 0) for one in shown_guidelines(campaign)}


def _machines(campaign: Campaign) -> tuple[str, ...]:
    """The names of machines that labelled."""
    judged = Judgment.objects.filter(assignment__annotator=OuterRef("pk"))
    found = campaign.annotators.filter(Exists(judged), kind=AnnotatorKind.MACHINE)
    return tuple(found.order_by("name").values_list("name", flat=True))


def _skipped(campaign: Campaign) -> dict[str, int]:
    """{reason: items that a person has left skipped for it}: who judged after all has skipped nothing."""
    newest = Submission.objects.filter(assignment=OuterRef("pk")).order_by("-pk").values("reason")[:1]
    left = Assignment.objects.filter(item__campaign=campaign, state=AssignmentState.SKIPPED)
    reasons = (
        left.filter(annotator__kind=AnnotatorKind.HUMAN).annotate(why=Subquery(newest)).values_list("why", flat=True)
    )
    return dict(sorted(Counter(filter(None, reasons)).items()))


def _extracted(campaign: Campaign) -> dict[str, Any]:
    """{"papers", "people", "first", "last"}: papers that people have finished here, by how many, from when to when."""
    done = Assignment.objects.filter(item__campaign=campaign, item__paper__isnull=False, state=AssignmentState.DONE)
    made = ExtractionRevision.objects.filter(extraction__assignment__in=done)
    return {
        "papers": done.values("item").distinct().count(),
        "people": done.values("annotator").distinct().count(),
        **made.aggregate(first=Min("made_at"), last=Max("made_at")),
    }


def _decisions(verdicts: QuerySet[Verdict]) -> dict[str, int]:
    """{how: number of values} in the order of the methods."""
    found = dict(verdicts.order_by().values_list("method").annotate(n=Count("pk")))
    return {str(label): found[name] for name, label in Method.choices if name in found}
