"""Held-out labels stay unseen until the machine that is tested on them is frozen (Anno-GPT, DORIS-MAE section 4).

While a cycle of the collection has no frozen machine, nobody reads people's labels of its test campaigns, and no
machine runs on them: otherwise prompts could be tuned to the test.
"""

from collections.abc import Iterable, Sequence

from django.db.models import Q

from accounts.refusals import NotAllowed, Refused
from annotation.models import AnnoCycle, AnnotatorKind, AssignmentState, Campaign, MachineSource, Outcome, Split
from corpus.models import Collection


def sealed_by(campaign: Campaign) -> AnnoCycle | None:
    """The cycle that keeps the campaign's labels unseen for now, or None. One query where it is a test campaign."""
    return seals_of([campaign]).get(campaign.pk)


def seals_of(campaigns: Iterable[Campaign]) -> dict[int, AnnoCycle]:
    """{id of a campaign: the cycle that keeps its labels unseen for now}. One query where there is a test campaign."""
    tests = {each.pk: each.collection_id for each in campaigns if each.split == Split.TEST}
    if not tests:
        return {}
    near = AnnoCycle.objects.filter(Q(collection__in=tests.values()) | Q(test__in=tests)).order_by("number")
    served: set[int | None] = set()
    tuning: dict[int, AnnoCycle] = {}
    for cycle in near:
        if cycle.frozen_at or cycle.outcome:
            served.add(cycle.test_id)
        else:
            tuning.setdefault(cycle.collection_id, cycle)
    return {pk: tuning[at] for pk, at in tests.items() if pk not in served and at in tuning}


def sealed_in(collection: Collection) -> list[Campaign]:
    """Its sealed test campaigns. Two queries."""
    tests = list(collection.campaigns.filter(split=Split.TEST))
    seals = seals_of(tests)
    return [each for each in tests if each.pk in seals]


def check_not_sealed(campaign: Campaign) -> None:
    """Refuse to show or compute anything from the labels of a sealed campaign. Errors: NotAllowed."""
    cycle = sealed_by(campaign)
    if cycle is not None:
        raise NotAllowed(why_sealed(campaign, cycle))


def why_sealed(campaign: Campaign, cycle: AnnoCycle) -> str:
    """Why nothing of the labels is shown while this cycle keeps them unseen."""
    return (
        f"The labels of the test campaign {campaign} are sealed until Anno-GPT cycle {cycle.number}"
        " freezes its machine: people who tune a prompt must not see the labels it will be tested on."
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
            f"People have judged in {campaign}, and Anno-GPT cycle {tuning.number} has not frozen its"
            " machine yet. Until then, a judged campaign cannot become a test set or stop being one."
        )


def check_machine_may_run(campaign: Campaign, criteria: Sequence[str], recipe_hash: str, *, more: int = 0) -> None:
    """Test sets are for the frozen machine of their cycle only, until the cycle is decided, and for as many runs as
    were fixed before; `more` are asked for now. Where there is a cycle about one of the criteria, a machine annotates a
    main campaign only by the decision of its own cycle. Errors: Refused.
    """
    check_machine_not_sealed(campaign)
    own = Q(frozen_hash=recipe_hash)
    for criterion in criteria:
        if reason := _why_cannot_annotate_all(campaign, Q(criterion=criterion), own):
            raise Refused(reason)
    cycle = AnnoCycle.objects.filter(test=campaign.pk, outcome="").first()
    if cycle is not None and cycle.frozen_hash != recipe_hash:
        raise Refused(
            f"{campaign} is the test set of Anno-GPT cycle {cycle.number}, which has frozen another"
            " machine. Until the cycle is decided, only that machine may run on it: trying several"
            " machines on a test set would be tuning on it."
        )
    if cycle is not None and more:
        had = campaign.machine_runs.filter(recipe_hash=recipe_hash, criteria__key=cycle.criterion).count()
        if had + more > cycle.runs:
            raise Refused(
                f"Before the test, the number of runs of the frozen machine over {campaign} was set"
                f" to {cycle.runs}, and it has run {had} times. Further runs until the figures look"
                " good would be a second look at the test set."
            )


def why_cannot_import_machine(campaign: Campaign, *names: str) -> str:
    """Why labels of a machine of one of these names may not come into the campaign, or ""."""
    about = Q(criterion__in=campaign.criteria.values("key"))
    return _why_cannot_annotate_all(campaign, about, Q(frozen_source=MachineSource.IMPORTED, frozen_name__in=names))


def _why_cannot_annotate_all(campaign: Campaign, about: Q, own: Q) -> str:
    """Why a machine may not annotate everything, or "": where cycles are `about` the criterion, only what one of them
    (`own`) has frozen and was decided to. Any other recipe would escape its test, and the note of an override.
    """
    if campaign.split != Split.MAIN:
        return ""
    cycles = AnnoCycle.objects.filter(about, collection=campaign.collection_id).order_by("-number")
    frozen, newest = cycles.filter(own).first(), cycles.first()
    if newest is None or (frozen and frozen.outcome == Outcome.ANNOTATE):
        return ""
    if frozen is None:
        return (
            f"Anno-GPT decides which machine labels “{newest.criterion}” in {campaign} (the newest is"
            f" cycle {newest.number}), and no cycle has frozen this machine. It needs its own cycle,"
            " with a passed or overridden test. It may run on development campaigns."
        )
    state = f"ended otherwise ({frozen.words})" if frozen.outcome else "has not decided about it yet"
    return (
        f"This is the frozen machine of Anno-GPT cycle {frozen.number}, which {state}. It may"
        f" annotate {campaign} only after the cycle has decided to annotate everything."
    )


def check_machine_not_sealed(campaign: Campaign) -> None:
    """No machine sees a test set before the one to be tested is frozen."""
    cycle = sealed_by(campaign)
    if cycle is not None:
        raise Refused(
            f"{campaign} is a test campaign, and Anno-GPT cycle {cycle.number} has not frozen its machine yet. Freeze"
            " it first; until then machines run on development campaigns."
        )
