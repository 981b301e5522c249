"""Labels come as arrays: those that count, in canonical order, whatever the order they were given in."""

import pytest

from adjudication.labels import staleness
from adjudication.labels.labels import newest_submission, read_labels, read_repeats, read_topics
from adjudication.labels.staleness import count_newer
from annotation.models import AssignmentState
from tests.factories.adjudication import build_campaign

pytestmark = pytest.mark.django_db


def test_matrix_has_positions_and_gaps() -> None:
    built = build_campaign([[0, 1, 2], [2, None, 2], [None, None, None]])
    matrix = read_labels(built.campaign).of_criterion(built.criterion.pk).matrix([0, 1, 2])
    assert matrix.positions.tolist() == [[0, 1, 2], [2, -1, 2]]
    assert matrix.items.tolist() == [built.items[0].pk, built.items[1].pk]
    assert matrix.annotators.tolist() == [built.annotators[name].pk for name in ("ana", "ben", "cai")]


def test_positions_follow_the_declared_scale_not_the_values_seen() -> None:
    built = build_campaign([[0, 3]], people=("ana", "ben"), levels=4)
    matrix = read_labels(built.campaign).of_criterion(built.criterion.pk).matrix([3, 0, 1, 2])
    assert matrix.positions.tolist() == [[1, 0]]


def test_value_off_the_scale_is_an_error() -> None:
    built = build_campaign([[0, 2]], people=("ana", "ben"))
    table = read_labels(built.campaign).of_criterion(built.criterion.pk)
    with pytest.raises(ValueError, match="not a level"):
        table.matrix([0, 1])


def test_only_finished_assignments_count_and_repeats_stand_apart() -> None:
    built = build_campaign([[0, 1, 2]])
    built.label(built.items[0], "ana", 1, repeat=1)
    first = built.annotators["ben"].assignments.get()
    first.state, first.slot = AssignmentState.WITHDRAWN, None
    first.save()
    table = read_labels(built.campaign)
    assert table.values.tolist() == [0, 2]
    assert read_repeats(built.campaign).values.tolist() == [1]


def test_another_campaign_is_not_read() -> None:
    build_campaign([[0, 1, 2]], slug="other")
    built = build_campaign([[2, 2, 2]])
    assert read_labels(built.campaign).values.tolist() == [2, 2, 2]


def test_equal_inputs_have_equal_hashes() -> None:
    built = build_campaign([[0, 1, 2]])
    before = read_labels(built.campaign).inputs_hash
    assert read_labels(built.campaign).inputs_hash == before
    built.annotators["ana"].assignments.get().judgments.update(value=2)
    assert read_labels(built.campaign).inputs_hash != before


def test_topics_of_items() -> None:
    built = build_campaign([[0, 0, 0]] * 4, topics=2)
    items = read_labels(built.campaign).of_criterion(built.criterion.pk).matrix([0, 1, 2]).items
    assert read_topics(built.campaign, items).tolist() == [item.topic_id for item in built.items]


def test_newer_answers_are_counted() -> None:
    built = build_campaign([[0, 1, None]])
    snapshot = newest_submission()
    assert count_newer(built.campaign, snapshot) == 0
    built.label(built.items[0], "cai", 2)
    assert count_newer(built.campaign, snapshot) == 1


def test_counting_newer_answers_stops_at_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    built = build_campaign([[0, 1, None]] * 4)
    monkeypatch.setattr(staleness, "MOST_COUNTED", 3)
    assert count_newer(built.campaign, 0) == 3
    assert [staleness.newer_judgments(n) for n in (0, 1, 2, 3)] == [
        "", "1 newer judgment", "2 newer judgments", "3 or more newer judgments",
    ]  # fmt: skip


def test_empty_campaign() -> None:
    built = build_campaign([])
    table = read_labels(built.campaign)
    assert table.n_labels == 0
    assert table.matrix([0, 1]).positions.shape == (0, 0)
    assert newest_submission() == 0


def test_queries_do_not_grow(django_assert_max_num_queries) -> None:  # type: ignore[no-untyped-def]
    built = build_campaign([[0, 1, 2]] * 60)
    with django_assert_max_num_queries(1):
        assert read_labels(built.campaign).n_labels == 180
