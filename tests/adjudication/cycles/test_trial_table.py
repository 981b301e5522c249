"""The table of a cycle's test, computed again in the plainest way."""

import itertools
import math
import random
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from scipy import stats

from accounts import jobs
from adjudication.agreement.requests import request_vote
from adjudication.cycles.steps import choose_test_set, freeze_machine, request_test, run_frozen_machine
from annotation.models import Campaign, Judgment
from tests.adjudication.cycles.cycle_steps import LATER, began, judged, measured, tuned
from tests.factories.annotation import make_material
from tests.factories.machines import carry_out

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

Labels = dict[int, dict[int, int]]  # annotator: {item: value}


def accuracy(one: list[int], other: list[int]) -> float:
    return sum(a == b for a, b in zip(one, other, strict=True)) / len(one)


def macro_f1(one: list[int], other: list[int]) -> float:
    """Mean of the F1 of the classes that either of the two has used."""
    found = []
    for value in set(one) | set(other):
        both = sum(a == b == value for a, b in zip(one, other, strict=True))
        found.append(2 * both / (one.count(value) + other.count(value)))
    return sum(found) / len(found)


def spearman(one: list[int], other: list[int]) -> float:
    def ranks(values: list[int]) -> list[float]:
        ordered = sorted(values)
        return [ordered.index(value) + (ordered.count(value) - 1) / 2 for value in values]

    x, y = ranks(one), ranks(other)
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    shared = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return shared / math.sqrt(sum((a - mean_x) ** 2 for a in x) * sum((b - mean_y) ** 2 for b in y))


def difference(measure: Any, people: Labels, runs: Labels, items: list[int]) -> float:
    """Mean over the pairs of people minus mean over the pairs of a run and a person."""

    def mean(pairs: Any) -> float:
        values = [measure([a[item] for item in items], [b[item] for item in items]) for a, b in pairs]
        return float(sum(values) / len(values))

    return mean(itertools.combinations(people.values(), 2)) - mean(itertools.product(runs.values(), people.values()))


def test_the_table_of_the_test_by_plain_counting(client: Client) -> None:
    """Difference, error and p to the last digit; the percentile interval as near as other resamples of topics come."""
    made = make_material(topics=24, documents=3)
    by, dev = made.manager, judged(made, "Dev", "dev")
    cycle = began(made, dev)
    test = judged(made, "Test", "test", sample=72, at=LATER)
    choose_test_set(cycle=cycle, by=by, at=LATER, test=test)
    cycle = freeze_machine(cycle=cycle, by=by, at=LATER, key=tuned(made, dev, thresholds=(0.3, 0.6)))
    for run in run_frozen_machine(cycle=cycle, by=by, at=LATER, campaign=test, send=False):
        carry_out(run)
        # The baseline never wavers: its runs are distinguished, and a third of the labels is like a person's.
        for judgment in Judgment.objects.filter(assignment__annotator=run.annotator).select_related("assignment"):
            Judgment.objects.filter(pk=judgment.pk).update(value=(judgment.assignment.item_id * run.run_number) % 3)
    jobs.carry_out(request_vote(campaign=test, by=by, at=LATER, send=False))
    computed = measured(request_test(cycle=cycle, by=by, at=LATER, send=False))
    people, runs = labels_of(test, "human"), labels_of(test, "machine")
    by_topic: dict[int, list[int]] = {}
    for item, topic in test.items.values_list("pk", "topic"):
        by_topic.setdefault(topic, []).append(item)
    topics, rng = list(by_topic.values()), random.Random(5)
    items = chained(topics)
    assert (len(people), len(runs), len(items), len(topics)) == (3, 2, 72, 24)
    comparisons = {one["statistic"]: one for one in computed.detail["relevance"]["comparisons"]}
    for name, measure in (("accuracy", accuracy), ("macro_f1", macro_f1), ("spearman", spearman)):
        found = comparisons[name]["difference"]
        assert found["value"] == pytest.approx(difference(measure, people, runs, items), abs=1e-12)
        left_out = [difference(measure, people, runs, chained(t for t in topics if t is not one)) for one in topics]
        mean = sum(left_out) / 24
        error = math.sqrt(23 / 24 * sum((value - mean) ** 2 for value in left_out))
        assert found["se"] == pytest.approx(error, abs=1e-9)
        assert found["p"] == pytest.approx(2 * stats.t.sf(abs(found["value"]) / error, 23), abs=1e-9)
        drawn = (chained(rng.choices(topics, k=24)) for _ in range(400))
        resampled = sorted(difference(measure, people, runs, each) for each in drawn)
        (percentile,) = (each for each in found["alternatives"] if each["method"] == "percentile")
        assert percentile["low"] == pytest.approx(resampled[10], abs=0.03)
        assert percentile["high"] == pytest.approx(resampled[389], abs=0.03)
    client.force_login(by)
    page = client.get(reverse("cycle_detail", args=[made.collection.slug, cycle.number])).content.decode()
    assert "over 72 items that have two people and every run" in page


def chained(topics: Any) -> list[int]:
    return list(itertools.chain.from_iterable(topics))


def labels_of(campaign: Campaign, kind: str) -> Labels:
    found: Labels = {}
    rows = Judgment.objects.filter(assignment__item__campaign=campaign, assignment__annotator__kind=kind)
    for who, item, value in rows.values_list("assignment__annotator", "assignment__item", "value"):
        found.setdefault(who, {})[item] = value
    return found
