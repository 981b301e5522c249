"""Who may evaluate against which gold: figures of runs of one document each would give every label away."""

from collections.abc import Iterable

from adjudication.evaluation.golds.registry import campaigns_behind, campaigns_swayed_by
from adjudication.evaluation.presets.registry import find_preset
from adjudication.evaluation.reads.evaluation import EvaluationSpec
from adjudication.labels.rules import check_can_take_out
from annotation.campaigns.rules.seals import check_not_sealed
from annotation.models import Campaign
from corpus.models import Collection, Membership


def campaigns_of(collection: Collection, golds: Iterable[str]) -> list[Campaign]:
    """Whose labels these golds are made of, each once."""
    found = {each.pk: each for gold in golds if gold for each in campaigns_behind(collection, gold)}
    return list(found.values())


def golds_of(spec: EvaluationSpec) -> list[str]:
    """The golds that an evaluation stands on, those of its preset included. Errors: Refused for an unknown preset."""
    return find_preset(spec.preset).golds(spec) if spec.preset else spec.golds


def check_not_sealed_golds(collection: Collection, spec: EvaluationSpec) -> None:
    """Errors: NotAllowed for labels of a sealed test set (ADR 16) for everyone."""
    for campaign in campaigns_of(collection, golds_of(spec)):
        check_not_sealed(campaign)


def check_can_see(membership: Membership, spec: EvaluationSpec) -> None:
    """Managers, adjudicators and viewers see figures; those who still have to judge what the gold is made of do not.

    A run of one document has the label of that document as its score, so the rule is that of exports (ADR 11).
    Errors: NotAllowed.
    """
    golds = golds_of(spec)
    for campaign in campaigns_of(membership.collection, golds):
        check_not_sealed(campaign)
    swayed = {each.pk: each for gold in golds if gold for each in campaigns_swayed_by(membership.collection, gold)}
    check_can_take_out(membership, swayed.values())
