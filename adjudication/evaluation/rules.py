"""Who may evaluate against which gold: figures of runs of one document each would give every label away."""

from collections.abc import Callable, Iterable

from adjudication.evaluation.golds.registry import campaigns_of_gold, parse_selector, protected_campaigns
from adjudication.evaluation.presets.litsearch import KEPT
from adjudication.evaluation.presets.registry import find_preset
from adjudication.evaluation.spec import EvaluationSpec
from adjudication.evaluation.subsets import campaigns_of_attributes, waits_for_ratings
from adjudication.labels.rules import check_can_take_out, check_none_sealed
from adjudication.questions.question_set import check_counted, fetch_question_set
from annotation.models import Campaign
from corpus.models import Collection, Membership


def campaigns_of(
    collection: Collection,
    spec: EvaluationSpec,
    of_gold: Callable[[Collection, str], Iterable[Campaign]] = campaigns_of_gold,
) -> list[Campaign]:
    """The campaigns whose labels an evaluation uses, each once: by its golds and by the attributes of its subsets.

    `of_gold` says which campaigns a gold means. Errors: Refused for an unknown preset or gold.
    """
    found = dict[int, Campaign]()
    for part in find_preset(spec.preset).asked(spec) if spec.preset else [spec]:
        for gold in part.golds:
            found |= {each.pk: each for each in of_gold(collection, gold)}
        found |= {each.pk: each for each in campaigns_of_attributes(collection, part.by)}
    return list(found.values())


def keeps_questions(gold: str) -> bool:
    """Whether the gold of this selector is made of the questions that are kept. Errors: Refused."""
    return ("questions", "kept") in parse_selector(gold).options


def check_not_sealed_labels(collection: Collection, spec: EvaluationSpec) -> None:
    """Errors: NotAllowed for labels of a sealed test set (ADR 16) for everyone."""
    check_none_sealed(campaigns_of(collection, spec))


def check_decided(collection: Collection, spec: EvaluationSpec) -> None:
    """Refuse before any work what asks which questions are kept, or how they were rated, while votes wait for a count.

    Errors: Refused.
    """
    parts = find_preset(spec.preset).asked(spec) if spec.preset else [spec]
    if any(waits_for_ratings(part.by) or any(map(keeps_questions, part.golds)) for part in parts):
        check_counted(fetch_question_set(collection))


def check_can_see(membership: Membership, spec: EvaluationSpec) -> None:
    """Managers, adjudicators and viewers see figures; those who still have to judge what the gold is made of do not.

    A run of one document has the label of that document as its score, so the rule is that of exports (ADR 11).
    Errors: NotAllowed.
    """
    check_not_sealed_labels(membership.collection, spec)
    check_can_take_out(membership, campaigns_of(membership.collection, spec, protected_campaigns))


def check_can_sample(collection: Collection, membership: Membership | None) -> None:
    """Which questions a sheet has says which are kept, so the rule is that of figures; None: the command line.

    Errors: NotAllowed.
    """
    spec = EvaluationSpec(gold=KEPT, runs=())
    check_not_sealed_labels(collection, spec)
    if membership is not None:
        check_can_see(membership, spec)
