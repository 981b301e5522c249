"""Known answers from verdicts: what was decided in one campaign becomes what is right in another."""

import random
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Count, Exists

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Refused
from adjudication.labels.inputs import given_in_sight
from adjudication.models import Verdict
from annotation.campaigns.rules import check_within
from annotation.campaigns.seals import check_not_sealed, sealed_by
from annotation.gold.known import ABOUT, clashing, fetch_for_known_answers, store_known_answer
from annotation.labelling.rules import check_can_read_labels, why_cannot_read_each
from annotation.models import Campaign
from engines.definitions.settings import SAMPLE, SEED


@dataclass(frozen=True, slots=True)
class Drawn:
    """`drawn` items of `decided` ones that could be drawn, by `seed`."""

    campaign: Campaign
    drawn: int
    decided: int
    seed: int


@transaction.atomic
def draw_known_answers(
    *, campaign: Campaign, source: str, sample: int, seed: int | None = None, by: User | None, at: datetime
) -> Drawn:
    """Draw decided items of the campaign `source` (its short name) at random. Its comment is the explanation, but for
    one that tells what a machine said.

    Only items on which every criterion has a verdict that stands. Errors: NotAllowed; Refused for another kind or other
    criteria, for the campaign itself, and where nothing is decided.
    """
    campaign = fetch_for_known_answers(campaign, by)
    check_within(SAMPLE, sample)
    check_within(SEED, seed)
    seed = campaign.seed if seed is None else seed
    decided = _decided(campaign, _source(campaign, source, by))
    if not decided:
        raise Refused(f"{source} has no decided item whose answer is not known here already.")
    chosen = random.Random(seed).sample(sorted(decided), min(sample, len(decided)))  # noqa: S311 - guards no secret
    in_sight = set(Verdict.objects.filter(Exists(given_in_sight()), item__in=chosen).values_list("pk", flat=True))
    for item in chosen:
        for verdict in decided[item]:
            _store(campaign, verdict, "" if verdict.pk in in_sight else verdict.comment, at)
    facts = {"campaign": campaign.slug, "source": source, "drawn": len(chosen), "seed": seed}
    record_event(by=by, at=at, verb="draw_known_answers", target=campaign, scope=campaign.collection, **facts)
    return Drawn(campaign, len(chosen), len(decided), seed)


def sources_of(campaign: Campaign, reader: User | None) -> list[tuple[Campaign, int]]:
    """The other campaigns that the reader may draw verdicts from, each with how many of its items are decided.

    None of those whose labels are hidden from the reader, who still judges there; None is the command line.
    """
    criteria = _keys_of(campaign)
    others = campaign.collection.campaigns.exclude(pk=campaign.pk).filter(kind=campaign.kind).order_by("name")
    alike = [one for one in others if _keys_of(one) == criteria and sealed_by(one) is None]
    hidden = why_cannot_read_each(alike, reader) if reader else {}
    alike = [one for one in alike if one.pk not in hidden]
    standing = Verdict.objects.filter(item__campaign__in=alike, value__isnull=False, reopened_at__isnull=True)
    whole = standing.values("item__campaign", "item").annotate(n=Count("pk")).filter(n=len(criteria))
    decided = Counter(whole.values_list("item__campaign", flat=True))
    return [(one, decided[one.pk]) for one in alike if decided[one.pk]]


def _keys_of(campaign: Campaign) -> set[str]:
    return set(campaign.criteria.values_list("key", flat=True))


def _source(campaign: Campaign, slug: str, by: User | None) -> Campaign:
    source = campaign.collection.campaigns.filter(slug=slug).first()
    if source is None:
        raise Refused(f"The collection has no campaign “{slug}”.")
    source.collection = campaign.collection
    if source.pk == campaign.pk:
        raise Refused(
            "Choose another campaign. The verdicts of this one come from the answers to be compared with them."
        )
    if source.kind != campaign.kind or _keys_of(source) != _keys_of(campaign):
        raise Refused(f"{source} asks something else: its kind or its criteria differ.")
    check_not_sealed(source)
    if by is not None:
        check_can_read_labels(source, by)
    return source


def _decided(campaign: Campaign, source: Campaign) -> dict[int, list[Verdict]]:
    """The verdicts of each item of the source that every criterion is decided on, and that may become known here."""
    rows = Verdict.objects.filter(item__campaign=source, value__isnull=False, reopened_at__isnull=True)
    found: dict[int, list[Verdict]] = defaultdict(list)
    for verdict in rows.select_related("item__topic", "item__aspect", "item__document", "criterion"):
        found[verdict.item_id].append(verdict)
    known = {*campaign.known_answers.values_list(*ABOUT), *clashing(campaign).values_list(*ABOUT)}
    whole = source.criteria.count()
    return {
        item: verdicts
        for item, verdicts in found.items()
        if len(verdicts) == whole and _about(verdicts[0]) not in known
    }


def _about(verdict: Verdict) -> tuple[int | None, ...]:
    item = verdict.item
    return item.topic_id, item.aspect_id, item.document_id


def _store(campaign: Campaign, verdict: Verdict, text: str, at: datetime) -> None:
    item = verdict.item
    store_known_answer(
        campaign,
        topic=item.topic.number if item.topic else "",
        aspect=item.aspect.text if item.aspect else "",
        docno=item.document.docno if item.document else "",
        criterion=verdict.criterion.key,
        value=verdict.value or 0,
        text=text,
        at=at,
    )
