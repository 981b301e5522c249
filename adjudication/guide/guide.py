"""The guide as a person sees it: every step with its state, and the one that is next."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from accounts.models import Job
from accounts.refusals import NotHere
from accounts.slots import Card
from adjudication.guide.facts import GuideFacts, chosen_campaign, facts_of
from adjudication.guide.steps import NAME, STEPS, Step
from adjudication.guide.ways import LINK, Way
from adjudication.verdicts.dashboard import CampaignRow
from annotation.models import Campaign
from corpus.collections.rules import can_oversee
from corpus.models import Collection, Membership

UNUSED = "not used"


@dataclass(frozen=True)
class StepPlace:
    """A step and its state: done, next, later, or "not used" where the campaign went on without it."""

    step: Step
    state: str


@dataclass
class Guide:
    """All steps for one member, about one campaign or, before there is any, about the collection."""

    facts: GuideFacts
    is_whole: bool = False  # whether all steps are shown below the line

    @cached_property
    def next(self) -> Step | None:
        """The first step that is neither done nor passed by; None at the end."""
        return next((step for step in STEPS if self._is_open(step)), None)

    @cached_property
    def places(self) -> list[StepPlace]:
        """Every step of such a collection. What is done counts as done also where something before it is not."""
        found, is_later = [], False
        for step in STEPS:
            if not step.is_known(self.facts):
                continue
            state = "later" if is_later and self._is_used(step) else UNUSED
            if step is self.next:
                state, is_later = "next", True
            elif self._is_done(step):
                state = "done"
            found.append(StepPlace(step, state))
        return found

    @property
    def done(self) -> int:
        return self._count("done")

    @property
    def unused(self) -> int:
        """How many steps the campaign goes without: they are none of those to do."""
        return self._count(UNUSED)

    @property
    def needed(self) -> int:
        return len(self.places) - self.unused

    def _count(self, state: str) -> int:
        return sum(place.state == state for place in self.places)

    @cached_property
    def parts(self) -> tuple[str, str, str]:
        """What the next step is, in words: before the campaign's name, the name ("" where it has none), after it."""
        before, name, after = self.next.words(self.facts).partition(NAME) if self.next else ("", "", "")
        return before, name and str(self.facts.chosen), after

    @property
    def words(self) -> str:
        before, name, after = self.parts
        return f"{before}“{name}”{after}" if name else before

    @cached_property
    def lacks(self) -> str:
        """What the next step lacks, in a sentence, or ""."""
        return self.next.lacks(self.facts) if self.next else ""

    @cached_property
    def job(self) -> Job | None:
        """The background job that the next step waits for, or that failed."""
        return self.facts.newest(self.next.job) if self.next and self.next.job else None

    @cached_property
    def ways(self) -> list[Way]:
        """How the person takes the next step; [] where their role does not, or while its job runs."""
        membership = self.facts.membership
        if self.next is None or membership.role not in self.next.roles or (self.job and not self.job.is_final):
            return []
        return list(self.next.ways(self.facts))

    @property
    def whose(self) -> str:
        """Who takes the next step, where the person's role does not."""
        if self.next is None or self.facts.membership.role in self.next.roles:
            return ""
        return f"{' or '.join(role.label for role in self.next.roles)}".capitalize()

    def _is_early(self, step: Step) -> bool:
        """Whether it is about a campaign, and there is none yet."""
        return step.needs_campaign and self.facts.campaign is None

    def _is_used(self, step: Step) -> bool:
        if self._is_early(step):
            return not self.facts.came_confirmed
        return step.is_used(self.facts)

    def _is_done(self, step: Step) -> bool:
        return not self._is_early(step) and step.is_done(self.facts)

    def _is_open(self, step: Step) -> bool:
        return self._is_used(step) and not self._is_done(step)


def guide_for(membership: Membership, campaign: Campaign | None = None, *, whole: bool = False) -> Guide:
    """The guide about the campaign, or about the one that the collection works on."""
    chosen = campaign or chosen_campaign(membership.collection)
    guide = Guide(GuideFacts(membership, chosen), whole)
    if guide.next and guide.next.job and guide.facts.are_outrun_by(guide.next.job):
        return Guide(GuideFacts(membership, chosen), whole)  # nothing on the page would ever say that the job has ended
    return guide


def guides_of(membership: Membership, rows: Sequence[CampaignRow]) -> list[Guide]:
    """The guide about each of these campaigns. As many queries for many as for one."""
    return [Guide(facts) for facts in facts_of(membership, rows)]


def has_outrun(collection: Collection, began: datetime) -> bool:
    """Whether a job of the collection that a step waits for has ended since, so that what was read may not know it. One
    query."""
    ended = []
    for model in {step.job for step in STEPS if step.job}:
        whose = {"campaign__collection" if hasattr(model, "campaign") else "collection": collection}
        ended.append(model._default_manager.filter(**whose, finished_at__gte=began).order_by().values("pk"))
    return ended[0].union(*ended[1:], all=True).exists()


def guide_cards(membership: Membership, campaign: Campaign | None = None, how: str = "") -> Iterator[Card]:
    """The line "Next: …" for those who oversee the collection; with `how` "whole", all steps below it.

    With `how` "quiet" none of its buttons is a main one, for pages that have theirs.
    With `how` "fields" only what is pressed or filled in where it stands, for a list that says itself what is missing
    and has the button that opens the campaign.
    """
    if not membership or not can_oversee(membership) or membership.collection.archived_at:
        return
    guide = guide_for(membership, campaign or None, whole=how == "whole")
    if how == "fields":
        if guide.next and guide.next.key != "open" and any(way.sort != LINK for way in guide.ways):
            yield Card(10, "adjudication/guide/_fields.html", {"guide": guide})
    elif guide.next or guide.is_whole:
        yield Card(10, "adjudication/guide/_guide.html", {"guide": guide, "is_quiet": how == "quiet"})


def act_of(guide: Guide, key: str, act: str) -> Step:
    """The step of this key, which has such a button. Errors: NotHere."""
    step = next((each for each in STEPS if each.key == key and act in each.acts), None)
    if step is None or (step.needs_campaign and guide.facts.campaign is None):
        raise NotHere("The guide has no such step here.")
    return step
