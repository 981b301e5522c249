"""The probability of verdicts: by hand, reasons, people alone, and that it decides nothing."""

import json
from collections.abc import Sequence
from datetime import timedelta

import numpy as np
import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from adjudication.labels.labels import LabelMatrix
from adjudication.labels.queue import queue_of
from adjudication.models import Unknown, Verdict, VoteRun
from adjudication.verdicts.decisions import accept_votes, decide_verdict, withdraw_decision
from adjudication.verdicts.probabilities import PeoplesModel, confusion, fit_people
from tests.adjudication.exports.exporting import text_of
from tests.adjudication.verdicts.test_votes import vote
from tests.engines.stats.examples import matrices
from tests.factories.adjudication import AT, Built, build_campaign

LATER = AT + timedelta(hours=1)
Rows = Sequence[Sequence[int | None]]
# Cai errs often: what he says alone is doubted.
LABELS: Rows = [
    *([[0, 0, 0]] * 5 + [[1, 1, 1]] * 4 + [[2, 2, 2]] * 3),
    *([0, 0, 1], [0, 0, 2], [1, 1, 0], [2, 2, 1], [0, 1, 1], [1, 0, 1], [2, 1, 1], [0, 1, 2]),
]


def by_hand(rows: Rows, levels: int) -> list[list[float]]:
    """Each item's probabilities by EM written out over items and people, in plain Python."""
    people = range(len(rows[0]))
    said = [[(who, row[who]) for who in people if row[who] is not None] for row in rows]
    belief = [[sum(value == k for _, value in each) / len(each) for k in range(levels)] for each in said]
    for _ in range(3000):
        prior = [sum(b[k] for b in belief) / len(belief) for k in range(levels)]
        errors: dict[tuple[int, int, int], float] = {}
        for who in people:
            for truth in range(levels):
                weights = [
                    sum(b[truth] for b, each in zip(belief, said, strict=True) if (who, value) in each)
                    for value in range(levels)
                ]
                total = sum(weights)
                errors |= {(who, truth, v): w / total if total else 1 / levels for v, w in enumerate(weights)}
        for place, each in enumerate(said):
            joint = [prior[k] * np.prod([errors[who, k, value] for who, value in each]) for k in range(levels)]
            belief[place] = [one / sum(joint) for one in joint]
    return belief


def matrix_of(positions: np.ndarray) -> LabelMatrix:
    return LabelMatrix(np.arange(len(positions)), np.arange(positions.shape[1]), positions.astype(np.int16))


def model_of(positions: np.ndarray, levels: int = 3, machines: int = 0) -> PeoplesModel:
    is_person = np.arange(positions.shape[1]) < positions.shape[1] - machines
    return fit_people(matrix_of(positions), is_person, levels)


def stored(built: Built) -> list[tuple[float | None, str]]:
    rows = Verdict.objects.filter(item__campaign=built.campaign).order_by("item_id")
    return list(rows.values_list("probability", "probability_reason"))


@pytest.mark.django_db
def test_stored_probabilities_are_those_of_em_written_out() -> None:
    built = build_campaign(LABELS)
    vote(built, min_votes=2)
    expected = by_hand(LABELS, 3)
    values = list(Verdict.objects.order_by("item_id").values_list("value", flat=True))
    assert len(values) == len(LABELS)
    for value, belief, (probability, reason) in zip(values, expected, stored(built), strict=True):
        if value is None:
            assert (probability, reason) == (None, Unknown.NO_VALUE)
        else:
            assert probability == pytest.approx(belief[value], abs=2e-3), (value, belief)
            assert reason == ""


def test_posteriors_are_bayes_rule_on_the_fitted_rates() -> None:
    """Every combination of three labels is enumerated."""
    positions = np.array([[a, b, c] for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1)][1:] + [[0, 0, 1]] * 3)
    found = model_of(positions, 2)
    assert found.fitted is not None
    prior, errors = found.fitted.prior, found.fitted.errors
    for row, posterior in zip(positions, found.posterior, strict=True):
        joint = [prior[k] * np.prod([errors[a, k, said] for a, said in enumerate(row) if said >= 0]) for k in (0, 1)]
        assert posterior == pytest.approx(np.array(joint) / sum(joint), abs=1e-4)


# The same examples each time: where a matrix has two optima of equal likelihood, rounding chooses, and so the order.
@settings(max_examples=40, deadline=None, derandomize=True)
@given(matrices(), st.randoms(use_true_random=False))
def test_shares_that_the_order_of_people_and_items_does_not_change(positions: np.ndarray, random: object) -> None:
    assume((positions >= 0).sum(axis=1).max(initial=0) >= 2)
    found = model_of(positions)
    judged = found.judges > 0
    assert found.posterior[judged].sum(axis=1) == pytest.approx(np.ones(judged.sum()))
    rows, columns = list(range(len(positions))), list(range(positions.shape[1]))
    random.shuffle(rows)  # type: ignore[attr-defined]
    random.shuffle(columns)  # type: ignore[attr-defined]
    other = model_of(positions[rows][:, columns])
    assert other.fault == found.fault
    assert other.posterior == pytest.approx(found.posterior[rows], abs=1e-6)


@settings(max_examples=20, deadline=None)
@given(matrices(min_annotators=3))
def test_labels_of_machines_change_nothing(positions: np.ndarray) -> None:
    people = model_of(positions[:, :2])
    both = model_of(positions, machines=positions.shape[1] - 2)
    assert both.posterior == pytest.approx(people.posterior)
    assert (both.fault, both.judges.tolist()) == (people.fault, people.judges.tolist())


@pytest.mark.parametrize(
    ("positions", "level", "reason"),
    [
        ([[0, -1], [-1, 1]], 0, Unknown.FEW_VOTES),  # nobody's errors can be estimated
        ([[0, -1], [1, 1], [0, 0]], 0, Unknown.FEW_VOTES),  # this item's label is uncorroborated
        ([[-1, -1], [1, 1], [0, 0]], 0, Unknown.FEW_VOTES),  # only machines judged it
        ([[1, 1], [1, 1]], 1, Unknown.ONE_LEVEL),
        ([[1, 1], [0, 0]], 2, Unknown.UNUSED_LEVEL),  # a package's rule for ties may choose it
        ([[1, 1], [0, 0]], -1, Unknown.NO_VALUE),
        ([[2, 2], [2, 1], [2, 2], [1, 2]], 2, Unknown.SWITCHED),
    ],
)
def test_reasons(positions: list[list[int]], level: int, reason: str) -> None:
    assert model_of(np.array(positions)).of_value(0, level) == (None, reason)


def test_a_model_that_does_not_converge_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engines.stats.dawid_skene.MAX_ROUNDS", 1)
    positions = np.array([[0, 0, 1], [1, 1, 1], [2, 2, 0]])
    assert model_of(positions).of_value(0, 0) == (None, Unknown.NOT_CONVERGED)


def test_confusion_of_people_is_the_models_and_that_of_machines_is_measured_against_it() -> None:
    positions = np.array([[*row, row[0] if place % 4 else 1] for place, row in enumerate(LABELS)])
    model = model_of(positions, machines=1)
    assert model.fitted is not None
    *people, machine = confusion(model, matrix_of(positions), np.arange(4) == 3)
    for found, errors in zip(people, model.fitted.errors, strict=True):
        assert found["rates"] == [pytest.approx(list(row), abs=1e-3) for row in errors]
    for truth, row in enumerate(machine["rates"]):
        weights = [model.posterior[positions[:, 3] == said, truth].sum() for said in range(3)]
        assert row == pytest.approx([one / sum(weights) for one in weights], abs=1e-4)
    assert [(each["machine"], each["n_items"]) for each in (*people, machine)] == [(False, 20)] * 3 + [(True, 20)]
    unseen = model_of(np.array([[0, 0, 1], [0, 0, 1], [1, 1, -1], [1, 0, -1]]), machines=1)
    alone = confusion(unseen, matrix_of(np.array([[0, 0, 1], [0, 0, 1], [1, 1, -1], [1, 0, -1]])), np.arange(3) == 2)
    assert alone[2]["rates"][2] is None, "nothing is known of a level that is never true"
    assert confusion(model_of(np.array([[0, -1], [-1, 1]])), matrix_of(np.zeros((2, 2))), np.zeros(2, bool)) == []


@pytest.mark.django_db
def test_the_report_shows_machines_apart(client: Client) -> None:
    built = build_campaign([[*row, 0] for row in LABELS], machines=[("m-1", "m", 1)])
    run = vote(built, min_votes=2)
    client.force_login(built.people["adjudicator"])
    page = " ".join(client.get("/c/tea/campaigns/main/agreement/report/").text.split())
    assert "What <bdi>m-1</bdi> says (columns) of 20 items" in page
    assert page.count("<td>100%</td>") == 3, "it always says 0"
    assert "What <bdi>ana</bdi> says" not in page
    assert [each["machine"] for each in run.detail["relevance"]["confusion"]] == [False, False, False, True]


@pytest.mark.django_db
@pytest.mark.parametrize("voters", ["humans", "all", "machines"])
def test_the_model_is_of_people_where_others_vote(voters: str) -> None:
    people = build_campaign(LABELS, slug="alone")
    both = build_campaign([[*row, 0] for row in LABELS], machines=[("m-1", "m", 1)], slug="both")
    vote(people, min_votes=2)
    vote(both, min_votes=1, voters=voters)
    found = (Verdict.objects.filter(item__campaign=each.campaign).order_by("item_id") for each in (people, both))
    for one, verdict in zip(*found, strict=True):
        if verdict.value == one.value:
            assert (verdict.probability, verdict.probability_reason) == (one.probability, one.probability_reason)
    if voters == "machines":
        assert Verdict.objects.filter(item__campaign=both.campaign, value=0, probability__lt=0.01).exists()


@pytest.mark.django_db
def test_counting_again_writes_what_changed_and_keeps_acceptances() -> None:
    built = build_campaign(LABELS)
    vote(built, min_votes=2)
    judge = built.people["adjudicator"]
    before = list(Verdict.objects.order_by("pk").values())
    run = vote(built, min_votes=2)
    assert list(Verdict.objects.order_by("pk").values()) == before
    accept_votes(criterion=built.criterion, methods=["majority"], expected=7, by=judge, at=LATER)
    Verdict.objects.filter(method="majority").update(probability=0.5)  # as if other items had been judged since
    again = vote(built, min_votes=2)
    assert run.pk != again.pk
    accepted = Verdict.objects.filter(method="majority")
    assert [(each.decided_by, each.reopened_at) for each in accepted] == [(judge, None)] * 7
    assert stored(built) == [(each["probability"], each["probability_reason"]) for each in before]


@pytest.mark.django_db
def test_a_decision_by_hand_has_none_until_it_is_withdrawn_and_counted() -> None:
    built = build_campaign(LABELS)
    vote(built, min_votes=2)
    judge = built.people["adjudicator"]
    verdict = Verdict.objects.get(item=built.items[13])
    known = verdict.probability
    assert known is not None
    decide_verdict(verdict=verdict, value=2, by=judge, at=LATER)
    vote(built, min_votes=2)
    verdict.refresh_from_db()
    assert (verdict.value, verdict.probability, verdict.probability_reason) == (2, None, Unknown.BY_HAND)
    with pytest.raises(IntegrityError, match="verdict_probability_of_voted_value"), transaction.atomic():
        Verdict.objects.filter(pk=verdict.pk).update(probability=0.5, probability_reason="")
    withdraw_decision(verdict=verdict, by=judge, at=LATER)
    verdict.refresh_from_db()
    assert (verdict.value, verdict.probability, verdict.probability_reason) == (0, None, Unknown.NO_COUNT)
    vote(built, min_votes=2)
    verdict.refresh_from_db()
    assert verdict.probability == known


@pytest.mark.django_db
def test_doubtful_values_are_a_filter_and_every_door_says_how_doubtful(client: Client) -> None:
    built = build_campaign(LABELS)
    vote(built, min_votes=2)
    doubted = Verdict.objects.filter(item=built.items[0])
    doubted.update(probability=0.75)
    judge = built.people["adjudicator"]
    rows = list(queue_of(built.criterion, "unsure"))
    assert doubted[0] in rows
    assert all(row.probability is not None and row.probability < 0.9 for row in rows)
    client.force_login(judge)
    screen = "/c/tea/campaigns/main/adjudication/"
    page = client.get(f"{screen}?filter=unsure&verdict={doubted[0].pk}").text
    assert "Unsure: probability under 90%" in page
    assert "Probability of 0: 75%." in " ".join(page.split())
    assert "it never replaces the vote" in page
    sure = Verdict.objects.filter(probability__gt=0.99).first()
    assert sure is not None
    assert "Probability of" in client.get(f"{screen}?verdict={sure.pk}").text
    assert sure.probability_text == "over 99%"
    found = client.get("/api/collections/tea/campaigns/main/verdicts/").json()["results"]
    shown = next(each for each in found if each["id"] == doubted[0].pk)
    counted_at = VoteRun.objects.get().finished_at
    assert counted_at is not None
    assert (shown["value"], shown["probability"], shown["probability_reason"]) == (0, 0.75, "")
    assert shown["probability_at"] == counted_at.isoformat().replace("+00:00", "Z")
    first = json.loads(text_of(built, "verdicts").splitlines()[0])
    assert (first["probability"], first["probability_at"]) == (0.75, counted_at.isoformat())
    decide_verdict(verdict=doubted[0], value=0, by=judge, at=LATER)
    assert doubted[0] not in queue_of(built.criterion, "unsure")
    page = " ".join(client.get(f"{screen}?verdict={doubted[0].pk}").text.split())
    assert "Probability of 0 not known: an adjudicator has decided it, and the model is about votes." in page
    doubted.update(decided_at=None, decided_by=None, method="majority", probability=0.001, probability_reason="")
    assert doubted[0].probability_text == "under 1%"
    tie = Verdict.objects.get(value=None)
    assert "Probability of" not in client.get(f"{screen}?verdict={tie.pk}").text


@pytest.mark.django_db
def test_who_judged_the_item_does_not_see_it(client: Client) -> None:
    built = build_campaign(LABELS)
    vote(built, min_votes=2)
    ana = built.people["ana"]
    built.collection.memberships.filter(user=ana).update(role="adjudicator")
    client.force_login(ana)
    page = client.get(f"/c/tea/campaigns/main/adjudication/?verdict={Verdict.objects.first().pk}")  # type: ignore[union-attr]
    assert page.status_code == 200
    assert "Probability of" not in page.text
