"""Anno-GPT cycles of a collection, their dev and test campaigns, and how many labels people have given in them."""

from dataclasses import dataclass

from django.db.models import Count, Q

from adjudication.labels.labels import scale_of
from annotation.models import AnnoCycle, AnnotatorKind, Assignment, AssignmentState, Campaign, Criterion, Split
from corpus.models import Collection


@dataclass(frozen=True)
class People:
    """Labels of people in one campaign: how many gave any, how many items have one, two or more."""

    items: int
    annotators: int
    labels: int
    with_one: int
    with_two: int

    @property
    def are_enough(self) -> bool:
        """Two people judged every item, so that they can be compared with each other and with a machine."""
        return self.items > 0 and self.with_two == self.items


def criterion_in(campaign: Campaign, key: str) -> Criterion | None:
    """The campaign's criterion of this key with its levels."""
    return campaign.criteria.prefetch_related("levels").filter(key=key).first()


def people_of(campaign: Campaign) -> People:
    """Counts of people's finished assignments. Two queries."""
    human = Q(annotator__kind=AnnotatorKind.HUMAN, state=AssignmentState.DONE, repeat=0)
    given = Assignment.objects.filter(human, item__campaign=campaign)
    found = given.aggregate(labels=Count("id"), annotators=Count("annotator", distinct=True))
    per_item = given.values("item").annotate(n=Count("id")).order_by()
    counts = [row["n"] for row in per_item]
    return People(
        items=campaign.items.count(),
        annotators=found["annotators"],
        labels=found["labels"],
        with_one=sum(count >= 1 for count in counts),
        with_two=sum(count >= 2 for count in counts),
    )


def dev_sets(cycle: AnnoCycle) -> list[Campaign]:
    """The cycle's own dev set, and the test sets of earlier cycles, which may be learned from now (step vii)."""
    earlier = AnnoCycle.objects.filter(
        collection=cycle.collection_id, criterion=cycle.criterion, number__lt=cycle.number, test__isnull=False
    ).exclude(outcome="")
    used = Campaign.objects.filter(pk__in=earlier.values("test")).order_by("pk")
    return [cycle.dev, *(campaign for campaign in used if campaign.pk != cycle.dev_id)]


def campaigns_shown(cycle: AnnoCycle) -> list[Campaign]:
    """Those whose labels the figures of the cycle are made of."""
    return [*dev_sets(cycle), *([cycle.test] if cycle.test else [])]


def cycles_of(collection: Collection) -> list[AnnoCycle]:
    """Newest first."""
    found = AnnoCycle.objects.filter(collection=collection)
    return list(found.select_related("dev", "test", "frozen_prompt", "frozen_by", "decided_by").order_by("-number"))


def count_tests(cycle: AnnoCycle) -> int:
    """Tests of this criterion in the collection up to this cycle: it, and every earlier one that had a test set."""
    return AnnoCycle.objects.filter(
        collection=cycle.collection_id, criterion=cycle.criterion, number__lte=cycle.number, test__isnull=False
    ).count()


def fitting_campaigns(cycle: AnnoCycle, split: Split) -> list[Campaign]:
    """Campaigns of the split with the same levels for the cycle's criterion; test campaigns only while unused."""
    levels = _levels(cycle.dev, cycle.criterion)
    campaigns = Campaign.objects.filter(collection=cycle.collection_id, split=split).order_by("-pk")
    if split == Split.TEST:
        campaigns = campaigns.filter(test_cycle__isnull=True)
    return [campaign for campaign in campaigns if _levels(campaign, cycle.criterion) == levels]


def _levels(campaign: Campaign, key: str) -> list[int]:
    criterion = criterion_in(campaign, key)
    return scale_of(criterion) if criterion else []


def seen_labels(cycle: AnnoCycle, campaign: Campaign) -> int:
    """People's labels in the campaign from before the cycle began, when they were not sealed."""
    return Assignment.objects.filter(
        item__campaign=campaign,
        annotator__kind=AnnotatorKind.HUMAN,
        state=AssignmentState.DONE,
        finished_at__lt=cycle.created_at,
    ).count()
