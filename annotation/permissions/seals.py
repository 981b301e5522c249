"""Held-out labels stay unseen until the machine that is tested on them is frozen (Anno-GPT, DORIS-MAE section 4).

While a cycle of the collection has no frozen machine, nobody reads people's labels of its test campaigns, and no
machine runs on them: whoever tunes prompts could otherwise tune them to the test.
"""

from accounts.refusals import NotAllowed, Refused
from annotation.models import AnnoCycle, AnnotatorKind, AssignmentState, Campaign, Outcome, Split


def sealed_by(campaign: Campaign) -> AnnoCycle | None:
    """The cycle that keeps the campaign's labels unseen for now, or None. One query where it is a test campaign."""
    if campaign.split != Split.TEST:
        return None
    tuning = AnnoCycle.objects.filter(collection=campaign.collection_id, outcome="", frozen_at__isnull=True)
    served = AnnoCycle.objects.filter(test=campaign.pk, frozen_at__isnull=False) | AnnoCycle.objects.filter(
        test=campaign.pk
    ).exclude(outcome="")
    return None if served.exists() else tuning.first()


def check_not_sealed(campaign: Campaign) -> None:
    """Refuse to show or compute anything from the labels of a sealed campaign. Errors: NotAllowed."""
    cycle = sealed_by(campaign)
    if cycle is not None:
        raise NotAllowed(
            f"The labels of the test campaign {campaign} are sealed until Anno-GPT cycle {cycle.number} freezes its"
            " machine: whoever tunes a prompt must not have seen what it will be tested on."
        )


def check_split_may_change(campaign: Campaign, split: str) -> None:
    """A judged campaign neither leaves nor becomes a test set while a machine is tuned: either would break the seal.

    Errors: Refused.
    """
    if Split.TEST not in (campaign.split, split):
        return
    tuning = AnnoCycle.objects.filter(collection=campaign.collection_id, outcome="", frozen_at__isnull=True).first()
    if (
        tuning is not None
        and campaign.items.filter(assignments__annotator__kind=AnnotatorKind.HUMAN)
        .filter(assignments__state=AssignmentState.DONE)
        .exists()
    ):
        raise Refused(
            f"People have judged in {campaign}, and Anno-GPT cycle {tuning.number} has not frozen its machine yet."
            " Until it has, no judged campaign becomes a test set or stops being one."
        )


def check_machine_may_run(campaign: Campaign, recipe_hash: str, *, more: int = 0) -> None:
    """Test sets are for the frozen machine of their cycle only, until the cycle is decided, and for as many runs as
    were fixed before; `more` are asked for now. A frozen machine comes to a main campaign only by the decision of its
    cycle. Errors: Refused.
    """
    check_machine_not_sealed(campaign)
    _check_was_let_go(campaign, recipe_hash)
    cycle = AnnoCycle.objects.filter(test=campaign.pk, outcome="").first()
    if cycle is not None and cycle.frozen_hash != recipe_hash:
        raise Refused(
            f"{campaign} is the test set of Anno-GPT cycle {cycle.number}, which has frozen another machine. Only that"
            " one runs on it before the cycle is decided: trying several on a test set would be tuning on it."
        )
    if cycle is not None and more:
        had = campaign.machine_runs.filter(recipe_hash=recipe_hash, criterion__key=cycle.criterion).count()
        if had + more > cycle.runs:
            raise Refused(
                f"It was fixed before the test that the frozen machine runs {cycle.runs} times over {campaign}, and it"
                f" has run {had} times. Running it until the figures please would be a second look at the test set."
            )


def _check_was_let_go(campaign: Campaign, recipe_hash: str) -> None:
    """Whichever page it is asked for on: the machine of a cycle annotates everything only where that was decided."""
    if campaign.split != Split.MAIN:
        return
    frozen = AnnoCycle.objects.filter(collection=campaign.collection_id, frozen_hash=recipe_hash)
    newest = frozen.order_by("-number").first()
    if newest is not None and newest.outcome != Outcome.ANNOTATE:
        state = f"ended otherwise ({newest.words})" if newest.outcome else "has not decided about it yet"
        raise Refused(
            f"This is the frozen machine of Anno-GPT cycle {newest.number}, which {state}. It annotates {campaign} only"
            " after the decision to annotate everything, on the page of the cycle."
        )


def check_machine_not_sealed(campaign: Campaign) -> None:
    """No machine sees a test set before the one to be tested is frozen."""
    cycle = sealed_by(campaign)
    if cycle is not None:
        raise Refused(
            f"{campaign} is a test campaign, and Anno-GPT cycle {cycle.number} has not frozen its machine yet. Freeze"
            " it first; until then machines run on development campaigns."
        )
