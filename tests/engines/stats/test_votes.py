"""Votes, tie policies, decisions by hand, leave-one-out, sensitivity."""

import numpy as np
import pytest
from hypothesis import given

from engines.stats.policies import TIE_POLICIES, offered_policies
from engines.stats.votes import Outcome, leave_one_out, sensitivity, vote
from tests.engines.stats.examples import matrices

ROWS = np.array([[0, 1, 2], [0, 0, 2], [1, -1, 2], [-1, -1, 0], [-1, -1, -1], [2, 2, 2], [2, -1, 2]])


def outcomes(policy: str, **more: object) -> tuple[list[int], list[str]]:
    found = vote(ROWS, 3, policy=policy, **more)  # type: ignore[arg-type]
    return found.labels.tolist(), [Outcome(value).name.lower() for value in found.outcomes]


def test_two_votes_are_needed_and_ties_go_to_the_adjudicator() -> None:
    labels, how = outcomes("adjudicate")
    assert labels == [-1, 0, -1, -1, -1, 2, 2]
    assert how == ["unresolved", "majority", "unresolved", "unresolved", "unresolved", "unanimous", "unanimous"]


@pytest.mark.parametrize(
    ("policy", "labels"),
    [
        ("median", [1, 0, 1, -1, -1, 2, 2]),
        ("lowest", [0, 0, 1, -1, -1, 2, 2]),
        ("highest", [2, 0, 2, -1, -1, 2, 2]),
        ("exclude", [-1, 0, -1, -1, -1, 2, 2]),
    ],
)
def test_policies_settle_ties_only(policy: str, labels: list[int]) -> None:
    found, how = outcomes(policy)
    assert found == labels
    tied = "excluded" if policy == "exclude" else "tie_resolved"
    assert [how[0], how[1], how[2], how[3], how[5]] == [tied, "majority", tied, "unresolved", "unanimous"]


def test_weights_decide_and_what_is_still_tied_stays_open() -> None:
    found, how = outcomes("weighted", weights=[3, 1, 1])
    assert found == [0, 0, 1, -1, -1, 2, 2]
    assert how[0] == "majority"
    assert outcomes("weighted", weights=[2, 1, 1])[0][:2] == [0, 0]
    assert vote(np.array([[0, 1, 1]]), 3, policy="weighted", weights=[2, 1, 1]).labels.tolist() == [-1]


def test_the_experts_own_label_settles_a_tie() -> None:
    assert outcomes("expert", expert=2)[0] == [2, 0, 2, -1, -1, 2, 2]
    assert outcomes("expert", expert=1)[0] == [1, 0, -1, -1, -1, 2, 2]


def test_weights_a_hair_apart_are_a_tie() -> None:
    assert vote(np.array([[0, 1]]), 2, weights=[1.0, 1.0 + 1e-10]).labels.tolist() == [-1]
    assert vote(np.array([[0, 1]]), 2, weights=[1.0, 1.0 + 1e-8]).labels.tolist() == [1]


def test_the_weighted_median_counts_weights() -> None:
    rows = np.array([[0, 1, 2, 0]])
    assert vote(rows, 3, policy="median", weights=[1, 1, 2, 1]).labels.tolist() == [1]
    assert vote(rows, 3, policy="median", weights=[1, 2, 2, 1]).labels.tolist() == [1]


@pytest.mark.parametrize(
    "wrong",
    [
        {"policy": "weighted"},
        {"policy": "expert"},
        {"policy": "expert", "expert": 3},
        {"weights": [1, 1]},
        {"weights": [1, 0, 1]},
        {"weights": [1, float("nan"), 1]},
        {"policy": "coin"},
    ],
)
def test_what_a_policy_lacks_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"policy|weights|installed"):
        vote(ROWS, 3, **wrong)  # type: ignore[arg-type]


def test_decisions_by_hand_always_win() -> None:
    decided = np.array([1, 2, -1, 0, -1, -1, -1])
    found = vote(ROWS, 3).with_decisions(decided)
    assert found.labels.tolist() == [1, 2, -1, 0, -1, 2, 2]
    assert found.counts() == {
        "unresolved": 2,
        "unanimous": 2,
        "majority": 0,
        "tie_resolved": 0,
        "by_hand": 3,
        "excluded": 0,
        "single": 0,
    }


def test_one_label_is_single_and_two_equal_ones_are_unanimous() -> None:
    for more in ({}, {"policy": "weighted", "weights": [3, 1, 1]}, {"policy": "exclude"}):
        found = vote(ROWS[3:], 3, min_votes=1, **more)  # type: ignore[arg-type]
        assert found.labels.tolist() == [0, -1, 2, 2]
        how = [Outcome(value).name.lower() for value in found.outcomes]
        assert how == ["single", "unresolved", "unanimous", "unanimous"]


def test_leave_one_out_is_the_vote_of_the_others() -> None:
    assert leave_one_out(ROWS, 3, 0).tolist() == [-1, -1, 2, 0, -1, 2, 2]
    assert leave_one_out(ROWS[:, :1], 3, 0).tolist() == [-1] * 7


def test_sensitivity_counts_what_each_policy_changes() -> None:
    baseline = vote(ROWS, 3, policy="median").labels
    found = {one.policy: one for one in sensitivity(ROWS, 3, baseline)}
    assert set(found) == set(dict(offered_policies()))
    assert (found["median"].changed, found["median"].gained, found["median"].lost) == (0, 0, 0)
    assert (found["lowest"].changed, found["highest"].changed) == (1, 2)
    assert found["adjudicate"].lost == 2
    assert found["highest"].histogram == (1, 0, 4)
    by_hand = np.array([1, -1, -1, 1, -1, -1, -1])
    fixed = {one.policy: one for one in sensitivity(ROWS, 3, baseline, weights=[1, 2, 3], expert=0, decided=by_hand)}
    assert set(fixed) == set(TIE_POLICIES)
    assert fixed["lowest"].changed == 0
    assert fixed["lowest"].gained == 1
    assert fixed["lowest"].to_json()["policy"] == "lowest"


@given(matrices(levels=4))
def test_every_vote_is_one_of_the_votes_and_counts_add_up(matrix: np.ndarray) -> None:
    for policy in ("adjudicate", "median", "lowest", "highest", "exclude"):
        found = vote(matrix, 4, policy=policy)
        assert sum(found.counts().values()) == len(matrix)
        for row, label, how in zip(matrix, found.labels, found.outcomes, strict=True):
            assert (label >= 0) == (how not in (Outcome.UNRESOLVED, Outcome.EXCLUDED))
            assert label < 0 or label in row
            if how == Outcome.MAJORITY:
                counts = np.bincount(row[row >= 0], minlength=4)
                assert (np.delete(counts, label) < counts[label]).all()
