"""Making the items of a rubric campaign: topics as they are, without those that word matching would answer."""

import hashlib
from collections import defaultdict

from django.db import IntegrityError, transaction

from accounts.refusals import Conflict, Refused
from annotation.models import Campaign, Item
from annotation.queries.questions import Candidate, Choice, QuestionSupply, fetch_candidates, fetch_question_supply
from annotation.runs.built import Built, Report, silent
from corpus.models import Collection


@transaction.atomic
def build_questions(
    campaign: Campaign, choice: Choice, *, sample: int | None, seed: int, stratified: bool, report: Report = silent
) -> Built:
    """Make items of all chosen topics that are left, or of `sample` of them drawn by `seed`.

    `stratified` draws the same number from each source, as far as it has them.
    Errors: Refused when there is nothing to take or less than asked for; Conflict where a topic has gone.
    """
    Collection.objects.select_for_update(no_key=True).get(pk=campaign.collection_id)
    campaign = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    supply = fetch_question_supply(campaign, choice)
    _check_supply(supply, sample)
    chosen = fetch_candidates(campaign, choice)
    if sample is not None:
        drawn = set(draw(chosen, sample, seed, stratified=stratified))
        chosen = [candidate for candidate in chosen if candidate.topic in drawn]
    report(0, len(chosen), "making items")
    try:
        with transaction.atomic():
            Item.objects.bulk_create(
                [Item(campaign=campaign, split=campaign.split, topic_id=each.topic) for each in chosen],
                batch_size=5_000,
            )
    except IntegrityError as error:
        raise Conflict("Somebody changed the topics or another campaign at the same moment. Try again.") from error
    left = supply.left - len(chosen)
    return Built(len(chosen), campaign.items.count(), left, supply.held_elsewhere, supply.filtered)


def draw(candidates: list[Candidate], sample: int, seed: int, *, stratified: bool) -> list[int]:
    """The topics that `seed` draws: a topic's place follows from the seed and its number alone."""
    queues: dict[str, list[Candidate]] = defaultdict(list)
    for each in sorted(candidates, key=lambda each: hashlib.md5(f"{seed}\x1f{each.number}".encode()).digest()):  # noqa: S324 - a draw, no secret
        queues[each.source if stratified else ""].append(each)
    places = [(place, source, each.topic) for source, queue in queues.items() for place, each in enumerate(queue)]
    return [topic for _, _, topic in sorted(places)[:sample]]


def _check_supply(supply: QuestionSupply, sample: int | None) -> None:
    if not supply.questions:
        raise Refused("No topic of the collection is like that. Import topics, or choose other sources.")
    filtered = f" {supply.filtered:,} more are left out by the word-overlap filter." if supply.filtered else ""
    if sample is not None and sample < 1:
        raise Refused("A sample has at least one question.")
    if not supply.left:
        raise Refused(f"No questions are left for this campaign: all that it may take it has already.{filtered}")
    if sample is not None and sample > supply.left:
        raise Refused(
            f"Only {supply.left:,} questions are left for this campaign, and {sample:,} were asked for.{filtered}"
        )
