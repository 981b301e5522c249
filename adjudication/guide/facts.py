"""What a collection and one of its campaigns have, as the steps of the guide ask for it: each fact is read once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Case, Exists, Max, OuterRef, Q, QuerySet, Value, When
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEvent, Job, JobState
from accounts.sql import count_of
from adjudication.evaluation.presets.preset import PAPERS, Preset
from adjudication.evaluation.presets.registry import PRESETS
from adjudication.labels.counts import fetch_vote_standing
from adjudication.labels.rules import can_override_own, is_alone, why_labels_are_hidden
from adjudication.labels.staleness import Standing
from adjudication.models import AgreementRun, Evaluation, Method, OwnDecider, Release, Verdict, VoteRun
from adjudication.procedure import Procedure, procedure_of, procedures
from adjudication.verdicts.dashboard import CampaignRow
from annotation.campaigns.progress import fetch_progress
from annotation.kind import Judged
from annotation.models import (
    AnnoCycle,
    Annotator,
    AnnotatorKind,
    AnnotatorState,
    Assignment,
    AssignmentState,
    Campaign,
    CampaignState,
    Extraction,
    ExtractionSource,
    ExtractionState,
    Item,
    Purpose,
    Split,
)
from corpus.models import (
    Aspect,
    CitationMention,
    Collection,
    Document,
    Membership,
    Paper,
    PoolEntry,
    RetrievalRun,
    Target,
    Topic,
    TopicKind,
)

CONTEXTS = (TopicKind.CONTEXT_PARAGRAPH, TopicKind.CONTEXT_SENTENCE)
CONFIRMED = Extraction.objects.exclude(source=ExtractionSource.MACHINE).filter(state=ExtractionState.FINISHED)
ORDER = [CampaignState.OPEN, CampaignState.DRAFT, CampaignState.CLOSED]


@dataclass
class GuideFacts:
    """What the steps ask. `campaign` is the one that the guide is about, None before there is one."""

    membership: Membership
    campaign: Campaign | None
    began: datetime = field(default_factory=timezone.now)  # when the first of them was read
    _jobs: dict[type[Job], Job | None] = field(default_factory=dict)  # the newest of each sort, read once

    @property
    def collection(self) -> Collection:
        return self.membership.collection

    @property
    def chosen(self) -> Campaign:
        """The campaign, for steps that come after it was made."""
        if self.campaign is None:
            raise LookupError("there is no campaign yet")
        return self.campaign

    def to(self, name: str, *more: str) -> str:
        """The address of a page of the collection."""
        return reverse(name, args=[self.collection.slug, *more])

    def inside(self, name: str) -> str:
        """The address of a page of the campaign."""
        return self.to(name, self.chosen.slug)

    @cached_property
    def material(self) -> Mapping[str, Any]:
        """What the collection holds. One query, which stops at the first row of each kind."""
        own = {"collection": OuterRef("pk")}
        targets = Target.objects.filter(topic=OuterRef("pk"))
        return Collection.objects.values(
            has_documents=Exists(Document.objects.filter(**own)),
            has_papers=Exists(Paper.objects.filter(**own)),
            has_unconfirmed=Exists(Paper.objects.filter(~Exists(CONFIRMED.filter(paper=OuterRef("pk"))), **own)),
            has_mentions=Exists(CitationMention.objects.filter(**own)),
            has_topics=Exists(Topic.objects.filter(**own)),
            has_paragraph_topics=Exists(Topic.objects.filter(kind=TopicKind.CONTEXT_PARAGRAPH, **own)),
            has_sentence_topics=Exists(Topic.objects.filter(kind=TopicKind.CONTEXT_SENTENCE, **own)),
            has_other_topics=Exists(Topic.objects.exclude(kind__in=CONTEXTS).filter(**own)),
            has_runs=Exists(RetrievalRun.objects.filter(**own)),
            has_evaluations=Exists(Evaluation.objects.filter(state=JobState.DONE, **own)),
            presets=ArraySubquery(Evaluation.objects.filter(state=JobState.DONE, **own).values("parameters__preset")),
            lacks_ratings=Exists(Topic.objects.exclude(extra__has_key="quality").filter(**own)),
            lacks_targets=Exists(Topic.objects.filter(~Exists(targets), **own)),
            has_aspects=Exists(Aspect.objects.filter(topic__collection=OuterRef("pk"))),
            has_pools=Exists(PoolEntry.objects.filter(topic__collection=OuterRef("pk"))),
            has_releases=Exists(Release.objects.frozen().filter(**own)),
        ).get(pk=self.collection.pk)

    @cached_property
    def work(self) -> Mapping[str, Any]:
        """What the campaign has and lacks. One query by indexes, however large it is."""
        return _works([self.chosen], self.membership)[self.chosen.pk]

    @property
    def is_judged(self) -> bool:
        """Whether nothing of the campaign is left to judge, or nothing more can be."""
        if self.chosen.state == CampaignState.CLOSED:
            return True
        if self.chosen.state == CampaignState.DRAFT:
            return self.came_judged
        return bool(self.work["has_labels"]) and not self.is_left

    @property
    def has_gold(self) -> bool:
        """Whether people have confirmed the contexts of every paper, here or in files that came in."""
        return bool(self.material["has_papers"]) and not self.material["has_unconfirmed"]

    @property
    def came_confirmed(self) -> bool:
        """Whether gold of every paper came in, or a rating of every question, and nothing else waits for a campaign:
        then none is needed."""
        if self.campaign is not None:
            return False
        return self.came_rated or (self.has_gold and not self.material["has_other_topics"])

    @property
    def came_rated(self) -> bool:
        """Whether all topics are questions that came with their targets and their quality, as LitSearch's files do."""
        return self.has_questions and not self.material["lacks_ratings"]

    @property
    def missing_tables(self) -> list[Preset]:
        """The tables of a paper about citation contexts that nobody has made yet; those of runs first."""
        if not self.material["has_papers"]:
            return []
        tables = [each for each in PRESETS.values() if each.needs == PAPERS]
        missing = [each for each in tables if each.name not in self.material["presets"]]
        return sorted(missing, key=lambda each: not each.measures_runs)

    @property
    def measures_runs(self) -> bool:
        """Whether runs are measured: where papers are the gold; by targets of questions once there are runs, or at once
        where nobody has to rate them."""
        if self.material["has_papers"]:
            return True
        if self.campaign is not None and self.chosen.kind_object.judges != Judged.QUESTIONS:
            return False
        return self.has_questions and bool(self.material["has_runs"] or self.came_rated)

    @cached_property
    def open_cycle(self) -> AnnoCycle | None:
        """The Anno-GPT cycle that has yet to freeze its machine and whose test set the campaign is, or can become."""
        if self.chosen.split != Split.TEST:
            return None
        found = AnnoCycle.objects.filter(collection=self.collection, outcome="", frozen_at=None)
        found = found.filter(criterion__in=self.chosen.criteria.values("key"))
        return found.filter(Q(test=None) | Q(test=self.chosen)).first()

    @cached_property
    def came_judged(self) -> bool:
        """Whether it is a draft whose judgments were all imported: nobody judges in it, so it needs no opening."""
        return self.is_draft_with_labels and not fetch_progress(self.chosen, timezone.now()).left

    @property
    def is_draft_with_labels(self) -> bool:
        return self.chosen.state == CampaignState.DRAFT and bool(self.work["has_labels"])

    @property
    def has_questions(self) -> bool:
        """Whether all topics came with documents that answer them, as questions made from papers do."""
        return self.material["has_topics"] and not self.material["lacks_targets"]

    @property
    def lacks_runs(self) -> bool:
        """Whether runs could be measured by the targets of questions, and there are none."""
        return self.has_questions and not self.material["has_runs"]

    @property
    def is_left(self) -> bool:
        return bool(self.work["is_pending"] or self.work["is_free"])

    @cached_property
    def hidden(self) -> str:
        """Why the person sees no labels of the campaign and nothing made of them now, or ""."""
        return why_labels_are_hidden(self.chosen, self.membership.user)

    @cached_property
    def procedure(self) -> Procedure:
        return procedure_of(self.chosen)

    @cached_property
    def votes(self) -> Standing[VoteRun]:
        """Of the newest count of votes; empty where labels are hidden from the person."""
        return Standing() if self.hidden else fetch_vote_standing(self.chosen)

    @cached_property
    def undecided(self) -> int:
        """How many items wait for a decision by hand."""
        if self.hidden:
            return 0
        own = Collection.objects.filter(pk=self.collection.pk).values("pk")
        return dict(self.procedure.waiting(own, self.membership.user)).get(self.chosen, 0)

    @cached_property
    def left_open(self) -> int:
        """How many verdicts have no value now, as the votes left them. One query."""
        return Verdict.objects.filter(criterion__campaign=self.chosen, method=Method.UNRESOLVED).count()

    @cached_property
    def chooses_to_decide(self) -> bool:
        """Whether the person judged, decides alone, and has yet to choose that they decide such items."""
        if self.hidden or not self.work["i_judge"] or not can_override_own(self.membership):
            return False
        chosen = OwnDecider.objects.filter(campaign=self.chosen, user=self.membership.user_id)
        return is_alone(self.membership) and not chosen.exists()

    @cached_property
    def is_exported(self) -> bool:
        """Whether a file was downloaded since the votes were counted."""
        events = AuditEvent.objects.filter(scope_id=self.collection.pk, verb="download_export")
        return events.filter(at__gte=self.counted_at).exists()

    @property
    def counted_at(self) -> datetime:
        """When the votes were counted, or before that when the campaign began."""
        counted = self.votes.run.finished_at if self.votes.run else None
        return counted or self.chosen.opened_at or self.chosen.created_at

    def newest(self, model: type[Job]) -> Job | None:
        """The newest job of this sort, of the campaign or the collection, that has not ended well; else None."""
        job = self._newest(model)
        return None if job is None or job.state in (JobState.DONE, JobState.CANCELLED) else job

    def are_outrun_by(self, model: type[Job]) -> bool:
        """Whether a job of this sort has ended while the facts were read, so that they may not know what it did."""
        job = self._newest(model)
        return job is not None and job.finished_at is not None and job.finished_at >= self.began

    def _newest(self, model: type[Job]) -> Job | None:
        if model not in self._jobs:
            whose = {"campaign": self.chosen} if hasattr(model, "campaign") else {"collection": self.collection}
            self._jobs[model] = model._default_manager.filter(**whose).order_by("-pk").first()
        return self._jobs[model]


def facts_of(membership: Membership, rows: Sequence[CampaignRow]) -> list[GuideFacts]:
    """The facts of each of these campaigns of the collection, with what asks for queries read for all of them."""
    campaigns = [row.campaign for row in rows]
    found = [GuideFacts(membership, each) for each in campaigns]
    if not found:
        return []
    material, works = found[0].material, _works(campaigns, membership)
    waiting = _waiting(membership)
    events = AuditEvent.objects.filter(scope_id=membership.collection_id, verb="download_export")
    exported_at = events.aggregate(at=Max("at"))["at"]
    mine = {pk for pk, work in works.items() if work["i_judge"]}
    decides = _own_deciders(membership) if mine and can_override_own(membership) else None
    for facts, row in zip(found, rows, strict=True):
        pk = facts.chosen.pk
        facts.material, facts.work = material, works[pk]
        facts.hidden, facts.votes = row.hidden, row.votes
        facts.undecided = 0 if row.hidden else waiting.get(pk, 0)
        facts.came_judged = facts.is_draft_with_labels and not row.progress.left
        facts.is_exported = exported_at is not None and exported_at >= facts.counted_at
        facts.chooses_to_decide = decides is not None and not row.hidden and pk in mine - decides
    return found


def _works(campaigns: Iterable[Campaign], membership: Membership) -> dict[int, Mapping[str, Any]]:
    """What each of these campaigns, by its id, has and lacks. One query."""
    here = Annotator.objects.filter(campaign=OuterRef("pk"))
    active = here.filter(state=AnnotatorState.ACTIVE, kind=AnnotatorKind.HUMAN)
    of_people = Assignment.objects.filter(annotator__campaign=OuterRef("pk"))
    pending = of_people.filter(state=AssignmentState.PENDING)
    done = here.filter(Exists(Assignment.objects.filter(annotator=OuterRef("pk"), state=AssignmentState.DONE)))
    mine = Assignment.objects.filter(annotator__user=membership.user_id, state=AssignmentState.PENDING)
    found = Campaign.objects.filter(pk__in=[each.pk for each in campaigns]).values(
        "pk",
        has_items=Exists(Item.objects.filter(campaign=OuterRef("pk"))),
        people=count_of(active),
        invited=count_of(active.filter(invited__isnull=False)),
        is_pending=Exists(pending),
        is_free=Exists(Assignment.objects.filter(queue=OuterRef("pk"), state=AssignmentState.OPEN)),
        is_mine=Exists(mine.filter(annotator__campaign=OuterRef("pk"))),
        i_judge=Exists(active.filter(user=membership.user_id)),
        has_labels=Exists(done),
        several_judged=Exists(done.filter(kind=AnnotatorKind.HUMAN)[1:2]),
        is_measured=Exists(AgreementRun.objects.filter(campaign=OuterRef("pk"), state=JobState.DONE)),
    )
    return {each["pk"]: each for each in found}


def _waiting(membership: Membership) -> dict[int, int]:
    """{id of a campaign of the collection: how many of its items wait for a decision by hand}."""
    own = Collection.objects.filter(pk=membership.collection_id).values("pk")
    each = (procedure.waiting(own, membership.user) for procedure in procedures().values())
    return {campaign.pk: count for found in each for campaign, count in found}


def _own_deciders(membership: Membership) -> set[int]:
    """Ids of campaigns whose items the person need not choose to decide: they have, or others may decide, too."""
    campaigns = Campaign.objects.filter(collection=membership.collection_id)
    if is_alone(membership):
        campaigns = campaigns.filter(own_deciders__user=membership.user_id)
    return set(campaigns.values_list("pk", flat=True))


def chosen_campaign(collection: Collection) -> Campaign | None:
    """The campaign that a collection works on: an open one, else a draft, else the newest. Practice and held-out ones
    come last."""
    place = Case(*(When(state=state, then=Value(number)) for number, state in enumerate(ORDER)))
    held_out = Case(When(~Q(split=Split.MAIN, purpose=Purpose.JUDGING), then=Value(1)), default=Value(0))
    campaigns: QuerySet[Campaign] = collection.campaigns.order_by(place, held_out, "-pk")
    found = campaigns.first()
    if found is not None:
        found.collection = collection
    return found
