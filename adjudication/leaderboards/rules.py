"""Who may open a leaderboard, and who may have a run scored there without seeing the gold."""

from accounts.models import User
from accounts.refusals import Refused
from adjudication.evaluation.golds.registry import campaigns_of_gold, protected_campaigns
from adjudication.evaluation.reads.spec import EvaluationSpec
from adjudication.evaluation.rules import check_can_see, check_not_sealed_labels
from adjudication.labels.rules import check_none_sealed, fetch_role
from adjudication.models import Leaderboard
from annotation.labelling.rules.labels import check_can_read_labels_of
from corpus.collections.rules import check_manager, check_not_archived
from corpus.models import Collection


def check_can_open(collection: Collection, selector: str, by: User | None) -> None:
    """Managers who may see figures of the gold. Errors: NotAllowed, also for sealed labels; Refused."""
    check_manager(collection, by)
    spec = EvaluationSpec(gold=selector, runs=())
    check_not_sealed_labels(collection, spec)
    if by is not None:
        check_can_see(fetch_role(collection, by), spec)


def check_can_upload(board: Leaderboard, by: User) -> None:
    """Members who have nothing left to judge in what the gold is made of: scores could sway them.

    Errors: NotAllowed, Refused for a closed board, Conflict for an archived collection.
    """
    fetch_role(board.collection, by)
    check_not_archived(board.collection)
    if not board.is_open:
        raise Refused("The leaderboard is closed, so no run is scored there.")
    check_none_sealed(campaigns_of_gold(board.collection, board.selector))
    check_can_read_labels_of(protected_campaigns(board.collection, board.selector), by)
