"""A campaign's items: found, and built at once where that is quick, by a job where it is not."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any, TypedDict, Unpack

from django.db import IntegrityError, connection, transaction
from django.db.backends.utils import CursorWrapper
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from accounts.audit import record_event
from accounts.jobs import new_job
from accounts.models import User
from accounts.refusals import Conflict, Refused
from annotation.campaigns.item_building import Built, build, check_calibration, raise_overlap, remove_unjudged
from annotation.campaigns.rules import check_not_closed, check_within, fetch_managed
from annotation.models import AnnoCycle, Assignment, AssignmentState, Campaign, Item, ItemBuild, Split
from corpus.long_lists import KeyedPage, NumberedPage, Span, search_page, take_page
from corpus.models import Collection
from engines.definitions.settings import SAMPLE, SEED

HELD_OUT = (Split.DEV, Split.TEST)
HELD_ELSEWHERE = """
SELECT count(*) FROM annotation_item mine
WHERE mine.campaign_id = %(campaign)s AND EXISTS (
  SELECT FROM annotation_item i
  WHERE coalesce(i.topic_id, 0) = coalesce(mine.topic_id, 0) AND coalesce(i.aspect_id, 0) = coalesce(mine.aspect_id, 0)
    AND coalesce(i.document_id, 0) = coalesce(mine.document_id, 0)
    AND coalesce(i.paper_id, 0) = coalesce(mine.paper_id, 0)
    AND i.campaign_id <> mine.campaign_id AND i.split IN ('dev', 'test'))
"""
BATCH = 1_000


def campaign_parameters(campaign: Campaign, *, sampled: bool = False) -> dict[str, Any]:
    """The parameters of SQL that finds and makes items of a campaign.

    A sample of a main campaign keeps away from development and test pairs, as those of each other: Anno-GPT compares
    the three. A main campaign of everything is of everything.
    """
    return {
        "collection": campaign.collection_id,
        "campaign": campaign.pk,
        "split": str(campaign.split),
        "held_out": sampled or campaign.split in HELD_OUT,
    }


@contextmanager
def whole_sets() -> Iterator[CursorWrapper]:
    """A cursor whose statements join whole sets, never row by row.

    Right after a large import the planner still believes that the tables are small, and its nested loops over pairs
    and items then take hours instead of a second.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_nestloop = off")
        yield cursor
        cursor.execute("SET LOCAL enable_nestloop = on")


def count_held_elsewhere(campaign: Campaign) -> int:
    """Items of the campaign that are also in another development or test campaign."""
    with whole_sets() as cursor:
        cursor.execute(HELD_ELSEWHERE, {"campaign": campaign.pk})
        return int(cursor.fetchone()[0])


STATES = {
    "complete": "done",
    "begun": "in progress",
    "untouched": "not judged yet",
    "unassigned": "not enough judges assigned",
    "skipped": "skipped",
    "stale": "taken from the queue, lease expired",
}


@dataclass(frozen=True, slots=True)
class ItemFilter:
    """Which items a list shows: of one topic, in one of STATES, that need so many more, skipped for a reason."""

    topic: int | None = None
    state: str = ""
    needs: int | None = None
    reason: str | None = None


def find_items(campaign: Campaign, chosen: ItemFilter, now: datetime, *, with_counts: bool = False) -> QuerySet[Any]:
    """The items the filter lets through, in the order they were made.

    Take their ids alone and give those that are shown to `describe_items`: counting the judges of all takes long, and
    is done here only `with_counts`, to order by them, or where the filter asks for it.
    """
    items = Item.objects.filter(campaign=campaign).order_by("pk")
    if chosen.topic is not None:
        items = items.filter(topic=chosen.topic)
    if chosen.reason is not None:
        items = items.filter(Exists(_skipped().filter(submissions__kind="skip", submissions__reason=chosen.reason)))
    if chosen.state == "skipped":
        items = items.filter(Exists(_skipped()))
    if chosen.state == "stale":
        leased = Assignment.objects.filter(item=OuterRef("pk"), state=AssignmentState.PENDING)
        items = items.filter(Exists(leased.filter(lease_expires_at__lt=now)))
    counted = _counted_condition(chosen)
    if counted is not None or with_counts:
        items = _with_counts(items)
    return items if counted is None else items.filter(counted)


def find_page(
    campaign: Campaign,
    chosen: ItemFilter,
    now: datetime,
    address: Mapping[str, str],
    per_page: int,
    *,
    ordered: QuerySet[Any, Any],
) -> NumberedPage | KeyedPage:
    """The page of the ids of these items that the `address` asks for; `ordered` are all of them, sorted."""
    if chosen == ItemFilter(topic=chosen.topic):
        return take_page(
            find_items(campaign, chosen, now).values_list("pk", flat=True), address, per_page, ordered=ordered
        )

    def find(span: Span | None) -> QuerySet[Any, Any]:
        items = find_items(campaign, chosen, now)
        return (items if span is None else items.filter(pk__gt=span[0], pk__lte=span[1])).values_list("pk", flat=True)

    among = find_items(campaign, ItemFilter(topic=chosen.topic), now)
    return search_page(find, among, address, per_page, ordered)


def describe_items(ids: Sequence[int]) -> list[Any]:
    """These items in this order with topic, aspect, document, paper, and `needed`, `done`, `slots` and `skips`."""
    items = Item.objects.filter(pk__in=ids).select_related("topic", "aspect", "document", "paper")
    found = {item.pk: item for item in _with_counts(items)}
    return [found[pk] for pk in ids if pk in found]


def describe_all(items: QuerySet[Any]) -> Iterator[Any]:
    """All items of the queryset as `describe_items` returns them, read in batches."""
    ids = items.values_list("pk", flat=True).iterator()
    while batch := list(islice(ids, BATCH)):
        yield from describe_items(batch)


def _counted_condition(chosen: ItemFilter) -> Q | None:
    """What the filter asks of the counts; None where it asks nothing and they need not be counted."""
    conditions = {
        "complete": Q(done__gte=F("needed")),
        "begun": Q(done__gt=0, done__lt=F("needed")),
        "untouched": Q(done=0),
        "unassigned": Q(slots__lt=F("needed")),
    }
    counted = conditions.get(chosen.state)
    if chosen.needs is not None:
        needed = Q(done=F("needed") - chosen.needs)
        counted = needed if counted is None else counted & needed
    return counted


def _with_counts(items: QuerySet[Item]) -> QuerySet[Any]:
    return items.annotate(
        needed=F("campaign__overlap") + F("extra_overlap"),
        done=Count("assignments", filter=Q(assignments__state=AssignmentState.DONE, assignments__slot__gt=0)),
        slots=Count("assignments", filter=Q(assignments__slot__gt=0)),
        skips=Count("assignments", filter=Q(assignments__state=AssignmentState.SKIPPED)),
    )


def _skipped() -> QuerySet[Assignment]:
    return Assignment.objects.filter(item=OuterRef("pk"), state=AssignmentState.SKIPPED)


JOB_FROM = 50_000  # items; more take longer than a person should wait for a page


@dataclass(frozen=True)
class Calibration:
    """A sample of a campaign's items that more people judge; `changed` of them had fewer judges before."""

    campaign: Campaign
    sample: int
    overlap: int = field(metadata={"help": "how many people judge each item of the sample"})
    seed: int
    changed: int = field(metadata={"help": "how many of them had fewer judges before"})


class BuildOptions(TypedDict, total=False):
    """Which items to make: all that are left, or a `sample` drawn by `seed` (None: the campaign's own), `stratified` by
    topic or source. `choice` narrows what may be taken, for kinds that have a `Choosing`."""

    sample: int | None
    seed: int | None
    stratified: bool
    choice: Any


@transaction.atomic
def build_items(*, campaign: Campaign, by: User | None, at: datetime, **options: Unpack[BuildOptions]) -> Built:
    """Make items of all that the campaign lacks of what its kind judges, or of a sample of it.

    Call it again when pools have grown. Errors: Refused for a closed campaign and when too few are left.
    """
    campaign, seed, parameters = _prepare(campaign, by, **options)
    built = build(campaign, parameters, seed=seed)
    facts = {**parameters, "seed": seed, "created": built.created}
    record_event(by=by, at=at, verb="build_items", target=campaign, scope=campaign.collection, **facts)
    return built


@transaction.atomic
def build_first_items(
    *,
    campaign: Campaign,
    by: User | None,
    at: datetime,
    calibration: Mapping[str, int | None] | None = None,
    **options: Unpack[BuildOptions],
) -> tuple[Built, int]:
    """The items of a new campaign, unless all are asked for and there are none yet, and its calibration sample.

    `calibration` is {sample, overlap} of `set_calibration`. Returns also how many items more people judge.
    Errors: Refused, as of the two.
    """
    built, calibrated, everything = Built(0, 0, 0, 0), 0, campaign.kind_object.takes_everything
    if options.get("sample") is not None or options.get("choice") != everything or supply_left(campaign):
        built = build_items(campaign=campaign, by=by, at=at, **options)
    if calibration:
        sample, overlap = calibration["sample"] or 0, calibration["overlap"]
        calibrated = set_calibration(campaign=campaign, by=by, at=at, sample=sample, overlap=overlap).changed
    return built, calibrated


@transaction.atomic
def build_items_of(*, campaign: Campaign, by: User | None, at: datetime, pairs: Sequence[tuple[int, int]]) -> int:
    """Make items of these pooled (topic id, document id) alone; returns how many. Those it has already stay.

    Errors: Refused for a closed campaign and for kinds that judge no documents; Conflict where something changed.
    """
    campaign = _current(campaign, by)
    insert = campaign.kind_object.insert_pairs
    if insert is None:
        raise Refused(f"{campaign} does not judge documents, so none can be added to it.")
    Collection.objects.select_for_update(no_key=True).get(pk=campaign.collection_id)  # builds wait for each other
    try:
        with transaction.atomic():
            created = insert(campaign, pairs)
    except IntegrityError as error:
        raise Conflict(
            "Someone else changed the collection or another campaign at the same time. Try again."
        ) from error
    facts = {"pairs": len(pairs), "created": created}
    record_event(by=by, at=at, verb="build_items", target=campaign, scope=campaign.collection, **facts)
    return created


@transaction.atomic
def request_item_build(
    *,
    campaign: Campaign,
    by: User | None,
    at: datetime,
    calibration: Mapping[str, int | None] | None = None,
    **options: Unpack[BuildOptions],
) -> ItemBuild:
    """Make the items in a background job, for more than JOB_FROM of them.

    `calibration` is the {sample, overlap} of `set_calibration`, for when the items are there.
    """
    campaign, seed, parameters = _prepare(campaign, by, **options)
    if calibration is not None:
        size, overlap = calibration["sample"] or 0, calibration["overlap"] or campaign.kind_object.calibration_overlap
        most = campaign.items.count() + _count_built(campaign, parameters["sample"])
        check_calibration(campaign, size, overlap, most)
        parameters["calibration"] = {"sample": size, "overlap": overlap, "seed": campaign.seed}
    return new_job(ItemBuild, by=by, at=at, campaign=campaign, seed=seed, parameters=parameters)


@transaction.atomic
def set_calibration(
    *,
    campaign: Campaign,
    by: User | None,
    at: datetime,
    sample: int,
    overlap: int | None = None,
    seed: int | None = None,
) -> Calibration:
    """Have `sample` items, drawn by the seed, judged by `overlap` people each, so that agreement can be measured.

    Nothing is taken away: an item that gets as many judges already stays as it is. Plan the assignment (again) for it
    to take effect. Errors: Refused for numbers outside their limits, an overlap that each item has
    already, and closed campaigns.
    """
    campaign = _current(campaign, by)
    overlap = campaign.kind_object.calibration_overlap if overlap is None else overlap
    check_within(SEED, seed)
    draw = {"sample": sample, "overlap": overlap, "seed": campaign.seed if seed is None else seed}
    changed = raise_overlap(campaign, **draw)
    record_event(
        by=by, at=at, verb="set_calibration", target=campaign, scope=campaign.collection, **draw, changed=changed
    )
    return Calibration(campaign, **draw, changed=changed)


@transaction.atomic
def remove_unjudged_items(
    *,
    campaign: Campaign,
    by: User | None,
    at: datetime,
    topic: str = "",
    only: Sequence[int] | None = None,
    dry_run: bool = False,
) -> int:
    """Take the items out that nobody has begun: all, those of one topic, or `only` some of these ids. Returns how many.

    With `dry_run` they stay.

    Errors: Refused for a closed campaign, the test set of a machine, and where there are none.
    """
    campaign = _current(campaign, by)
    if AnnoCycle.objects.filter(test=campaign).exists():
        raise Refused("This campaign is the test set of an Anno-GPT cycle, so its items cannot change.")
    if topic and not campaign.items.filter(topic__number=topic).exists():
        raise Refused(f"The campaign has no item of a topic “{topic[:40]}”.")
    removed = remove_unjudged(campaign, topic, only)
    if not removed:
        of_topic = f" of topic {topic}" if topic else ""
        raise Refused(f"There is no unjudged item{of_topic} to remove. Items that somebody has begun stay.")
    if dry_run:
        transaction.set_rollback(True)
        return removed
    facts = {"removed": removed, "topic": topic}
    record_event(by=by, at=at, verb="remove_items", target=campaign, scope=campaign.collection, **facts)
    return removed


def needs_job(campaign: Campaign, sample: int | None) -> bool:
    """Whether building these items takes longer than a person should wait for a page."""
    return _count_built(campaign, sample) > JOB_FROM


def _count_built(campaign: Campaign, sample: int | None) -> int:
    return supply_left(campaign) if sample is None else sample


def supply_left(campaign: Campaign) -> int:
    """How many items the campaign could still take."""
    return campaign.kind_object.items.fetch_supply(campaign).left


def _prepare(
    campaign: Campaign,
    by: User | None,
    *,
    sample: int | None = None,
    seed: int | None = None,
    stratified: bool = False,
    choice: Any = None,
) -> tuple[Campaign, int, dict[str, Any]]:
    """The campaign as it is now, the seed, and the parameters of a build as they are kept, with the choice."""
    check_within(SAMPLE, sample)
    check_within(SEED, seed)
    campaign = _current(campaign, by)
    choosing = campaign.kind_object.choosing
    parameters = {"sample": sample, "stratified": stratified}
    parameters |= asdict(choice or choosing.read({})) if choosing else {}
    return campaign, campaign.seed if seed is None else seed, parameters


def _current(campaign: Campaign, by: User | None) -> Campaign:
    """The campaign as it is now, after checking that `by` may change its items."""
    campaign = fetch_managed(campaign, by)
    check_not_closed(campaign)
    return campaign
