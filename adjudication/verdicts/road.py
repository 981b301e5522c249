"""The road to a collection's first open campaign: what is done, what is next and why."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef
from django.urls import reverse

from annotation.models import Campaign, CampaignState, Item
from corpus.models import Collection, Document, Membership, Paper, PoolEntry, Topic


@dataclass(frozen=True)
class Step:
    """One step: `state` is done, next, later, or "not used" where campaigns got their items without it."""

    title: str
    why: str
    state: str
    button: str  # the label of what a manager does next
    address: str
    more: tuple[tuple[str, str], ...] = ()  # other ways to do it: label, address


@dataclass(frozen=True)
class Road:
    """All steps in their order; `is_walked` once a campaign with items has been opened."""

    steps: tuple[Step, ...]
    is_walked: bool
    is_begun: bool  # there is something to judge, or to judge it by

    @property
    def done(self) -> int:
        return sum(step.state == "done" for step in self.steps)


def fetch_road(collection: Collection) -> Road:
    """One query, which stops at the first row of each kind."""
    own = {"collection": OuterRef("pk")}
    campaigns = Campaign.objects.filter(**own)
    facts = Collection.objects.values_list(
        Exists(Document.objects.filter(**own)),
        Exists(Paper.objects.filter(**own)),
        Exists(Topic.objects.filter(**own)),
        Exists(PoolEntry.objects.filter(topic__collection=OuterRef("pk"))),
        Exists(campaigns),
        Exists(Membership.objects.filter(**own)[1:2]),
        Exists(campaigns.exclude(state=CampaignState.DRAFT)),
        Exists(Item.objects.filter(campaign__collection=OuterRef("pk"))),
    )
    documents, papers, *others, has_items = facts.get(pk=collection.pk)
    done = [documents or papers, *others]
    states = _states(done, has_items)
    steps = tuple(Step(state=state, **words) for state, words in zip(states, _words(collection.slug), strict=True))
    return Road(steps, is_walked=done[-1] and has_items, is_begun=done[0] or done[1])


def _states(done: list[bool], has_items: bool) -> list[str]:
    """The first step that is neither done nor passed by is next; material that items did not need was not used."""
    states = ["done" if each else "not used" if has_items and place < 3 else "later" for place, each in enumerate(done)]
    if "later" in states:
        states[states.index("later")] = "next"
    return states


def _words(slug: str) -> tuple[dict[str, Any], ...]:
    def to(name: str, *rest: str) -> str:
        return reverse(name, args=[slug, *rest])

    papers = ("Import papers for citation contexts", to("import_create", "papers"))
    return (
        {
            "title": "Bring the documents in",
            "why": "They are what is searched and judged. A dry run first shows what would come in.",
            "button": "Import documents",
            "address": to("import_create", "documents"),
            "more": (papers,),
        },
        {
            "title": "Bring the topics in",
            "why": "Questions or complex queries with their aspects. People judge documents for a topic.",
            "button": "Import topics",
            "address": to("import_create", "topics"),
            "more": (("Write one", to("topic_create")), ("Ask authors", to("author_call_list"))),
        },
        {
            "title": "Build the pools",
            "why": "A pool is what is judged for a topic: the best documents of several runs, or your own list.",
            "button": "Build pools",
            "address": to("pool_list"),
        },
        {
            "title": "Define the first campaign",
            "why": "What is judged, on which scale, by which guideline, and how many people judge each item.",
            "button": "New campaign",
            "address": to("campaign_create"),
        },
        {
            "title": "Invite the people who judge",
            "why": "An invitation goes to an e-mail address and gives a role in this collection.",
            "button": "Invite people",
            "address": to("member_list"),
        },
        {
            "title": "Open the campaign",
            "why": "Its page lists what it still needs. Once it is open, people judge and results follow.",
            "button": "To the campaigns",
            "address": to("campaign_list"),
        },
    )
