"""Jobs of a campaign: their common base, and making and removing its items, at once or as a job."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, Model, OuterRef, QuerySet
from django.utils import timezone

from accounts.audit import record_event
from accounts.jobs import Progress
from accounts.locks import briefly
from accounts.refusals import Conflict, Refused
from accounts.sql import execute
from annotation.campaigns.rules import check_within
from annotation.kind import Draw, Report, Supply
from annotation.models import Assignment, Campaign, Item, ItemBuild
from corpus.imports.undoing import relations
from corpus.models import Collection
from engines.definitions.settings import OVERLAP

# An item's place in the draw follows from the seed and its external ids, as when items are made.
RAISE_OVERLAP = """
WITH raised AS (
UPDATE annotation_item i SET extra_overlap = %(extra)s
FROM (
  SELECT i.id FROM annotation_item i
  LEFT JOIN corpus_topic t ON t.id = i.topic_id
  LEFT JOIN corpus_aspect a ON a.id = i.aspect_id
  LEFT JOIN corpus_document d ON d.id = i.document_id
  WHERE i.campaign_id = %(campaign)s
  ORDER BY md5(concat_ws(E'\\x1f', 'calibration', %(seed)s::text, t.number, a.text, d.docno)), i.id LIMIT %(sample)s
) drawn
WHERE i.id = drawn.id AND i.extra_overlap < %(extra)s RETURNING i.id
) SELECT count(*) FROM raised
"""


@dataclass(frozen=True, slots=True)
class Built:
    """What a build did: items made now, items in the campaign, what is left to take, what other held-out splits have.

    `filtered`: questions left out because their words overlap too much with the titles of their targets.
    """

    created: int
    items: int
    left: int
    held_elsewhere: int
    filtered: int = field(default=0, metadata={"help": "questions left out by the word-overlap filter"})


@transaction.atomic
def build(campaign: Campaign, parameters: dict[str, Any], *, seed: int, report: Report = lambda *_: None) -> Built:
    """Make items of all that is left for the campaign, or of a sample drawn by `seed`.

    `parameters` are those of an ItemBuild: sample, stratified, and what the kind's `Choosing` reads. Builds of one
    collection wait for each other, so that held-out splits cannot take the same item.
    Errors: Refused when there is nothing to take or less than asked for; Conflict where something changed meanwhile.
    """
    with briefly("waiting for other work on this campaign or collection"):
        Collection.objects.select_for_update(no_key=True).get(pk=campaign.collection_id)
        campaign = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    kind = campaign.kind_object
    draw = Draw(parameters.get("sample"), seed, bool(parameters.get("stratified")))
    choice = kind.choosing.read(parameters) if kind.choosing else None
    supply = kind.items.fetch_supply(campaign, choice, sampled=draw.sample is not None)
    _check_supply(campaign, supply, draw.sample)
    try:
        created = kind.items.insert(campaign, supply, draw, choice, report)
    except IntegrityError as error:
        raise Conflict(
            "Someone else changed the collection or another campaign at the same time. Try again."
        ) from error
    left = supply.left - created
    return Built(created, campaign.items.count(), left, supply.held_elsewhere, supply.filtered)


@transaction.atomic
def build_requested(job: ItemBuild, progress: Progress) -> None:
    """Build what a job was asked for, and set the calibration sample that was asked for with it."""
    if job.created:
        return  # it ended after its result was stored
    built = build(job.campaign, job.parameters, seed=job.seed or 0, report=progress.report)
    job.created = built.created
    job.save(update_fields=["created"])
    _record(job, "build_items", created=built.created, **job.parameters)
    if sample := job.parameters.get("calibration"):
        changed = raise_overlap(job.campaign, **sample)
        _record(job, "set_calibration", changed=changed, **sample)
    # The last moment at which cancelling still undoes everything.
    progress.report(built.created, built.created, "all items made")


def _record(job: ItemBuild, verb: str, **facts: Any) -> None:
    scope = job.campaign.collection
    record_event(by=job.requested_by, at=timezone.now(), verb=verb, target=job.campaign, scope=scope, **facts)


def _check_supply(campaign: Campaign, supply: Supply, sample: int | None) -> None:
    words = campaign.kind_object.words
    if not supply.total:
        raise Refused(words.nothing)
    why = _left_out(supply, words.item)
    if not supply.left:
        raise Refused(f"No {words.item}s are left for this campaign: it already has all available ones.{why}")
    if sample is not None and sample > supply.left:
        raise Refused(
            f"Only {supply.left:,} {words.item}s are left for this campaign, but {sample:,} were requested.{why}"
        )


def _left_out(supply: Supply, item: str) -> str:
    """What of the collection the campaign may not take, in words."""
    found = ""
    if supply.held_elsewhere:
        found += (
            f" {supply.held_elsewhere:,} of the collection's {supply.total:,} {item}s are in other development or test"
            " campaigns."
        )
    if supply.filtered:
        found += f" {supply.filtered:,} more are left out by the word-overlap filter."
    return found


def check_calibration(campaign: Campaign, sample: int, overlap: int, available: int) -> None:
    """Whether `sample` of `available` items may have `overlap` judges. Errors: Refused."""
    if overlap <= campaign.overlap:
        raise Refused(f"Every item gets {campaign.overlap} already; a calibration sample needs more than that.")
    check_within(OVERLAP, overlap)
    if not 1 <= sample <= available:
        raise Refused(f"The campaign has {available:,} items, so the sample must have from 1 to {available:,}.")


def raise_overlap(campaign: Campaign, *, sample: int, overlap: int, seed: int) -> int:
    """Have `sample` items of the campaign judged by `overlap` people; how many had fewer before. Errors: Refused."""
    check_calibration(campaign, sample, overlap, campaign.items.count())
    named: dict[str, Any] = {
        "campaign": campaign.pk,
        "sample": sample,
        "seed": str(seed),
        "extra": overlap - campaign.overlap,
    }
    return int(execute(RAISE_OVERLAP, named)[0][0])


def unjudged_items(campaign: Campaign, topic: str = "", only: Sequence[int] | None = None) -> QuerySet[Item]:
    """The campaign's items that no row but unused assignments refers to: all, of one topic, or `only` of these.

    So an item stays once somebody answered, skipped or undid it, a machine replied, votes on it were seen, or an
    annotator asked about it.
    """
    items = Item.objects.filter(campaign=campaign)
    if only is not None:
        items = items.filter(pk__in=only)
    for model, key in [*_keys_to(Item), *((model, f"{key}__item") for model, key in _keys_to(Assignment))]:
        if model is not Assignment:
            items = items.exclude(Exists(model._base_manager.filter(**{key: OuterRef("pk")})))
    return items.filter(topic__number=topic) if topic else items


def remove_unjudged(campaign: Campaign, topic: str = "", only: Sequence[int] | None = None) -> int:
    """Delete these items with their assignments; returns how many. The caller holds the transaction.

    Assignments are locked first, as an answer locks its own: what is answered meanwhile stays.
    """
    unused = Assignment.objects.filter(item__in=unjudged_items(campaign, topic, only))
    list(unused.select_for_update(of=("self",)).order_by("pk").values_list("pk", flat=True))
    Assignment.objects.filter(item__in=unjudged_items(campaign, topic, only))._raw_delete(using="default")
    bare = unjudged_items(campaign, topic, only).exclude(Exists(Assignment.objects.filter(item=OuterRef("pk"))))
    return int(bare._raw_delete(using="default"))


def _keys_to(model: type[Model]) -> list[tuple[type[Model], str]]:
    return [(each.related_model, each.field.name) for each in relations(model) if not each.many_to_many]
