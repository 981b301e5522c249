"""Who may evaluate against which gold: figures of runs of one document each would give every label away."""

from collections.abc import Iterable

from adjudication.evaluation.golds.registry import campaigns_behind
from adjudication.labels.rules import check_can_take_out
from annotation.campaigns.rules.seals import check_not_sealed
from annotation.models import Campaign
from corpus.models import Collection, Membership


def campaigns_of(collection: Collection, golds: Iterable[str]) -> list[Campaign]:
    """Whose labels these golds are made of, each once."""
    found = {each.pk: each for gold in golds if gold for each in campaigns_behind(collection, gold)}
    return list(found.values())


def check_not_sealed_golds(collection: Collection, golds: Iterable[str]) -> None:
    """Errors: NotAllowed for labels of a sealed test set (ADR 16), whoever asks."""
    for campaign in campaigns_of(collection, golds):
        check_not_sealed(campaign)


def check_can_see_golds(membership: Membership, golds: Iterable[str]) -> None:
    """Managers, adjudicators and viewers see figures; those who still have to judge what the gold is made of do not.

    A run of one document has the label of that document as its score, so the rule is that of exports (ADR 11).
    Errors: NotAllowed.
    """
    campaigns = campaigns_of(membership.collection, golds)
    for campaign in campaigns:
        check_not_sealed(campaign)
    check_can_take_out(membership, campaigns)
