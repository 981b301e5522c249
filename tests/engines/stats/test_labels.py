"""Labels in and out: shapes, refusals."""

import numpy as np
import pytest

from engines.stats.labels import Annotator, Labels, make_labels


def test_rows_without_labels_are_dropped_with_their_topics_and_verdicts() -> None:
    labels = make_labels(
        np.array([[-1, -1], [0, 1], [-1, 1]]),
        (0, 1),
        ["a", "b"],
        topics=["x", "z", "y"],
        adjudicated=np.array([0, 1, -1]),
    )
    assert (labels.n_items, labels.n_dropped) == (2, 1)
    assert labels.topics is not None
    assert labels.topics.tolist() == [1, 0]
    assert labels.adjudicated is not None
    assert labels.adjudicated.tolist() == [1, -1]


@pytest.mark.parametrize(
    ("matrix", "scale", "names", "more", "message"),
    [
        ([[0]], (0,), ["a"], {}, "two levels"),
        ([[0]], (0, 0), ["a"], {}, "two levels"),
        ([[0]], (0, 1), ["a", "b"], {}, "1 columns but 2"),
        ([[0, 1]], (0, 1), ["a", "a"], {}, "unique"),
        ([[2]], (0, 1), ["a"], {}, "between 0 and 1"),
        ([[70000]], (0, 1), ["a"], {}, "between 0 and 1"),
        ([[-2]], (0, 1), ["a"], {}, "between 0 and 1"),
        ([0], (0, 1), ["a"], {}, "items by annotators"),
        ([[0]], (0, 1), ["a"], {"topics": [1, 2]}, "one entry for each of the 1"),
        ([[0]], (0, 1), ["a"], {"adjudicated": np.array([5])}, "between 0 and 1"),
    ],
)
def test_what_does_not_fit_is_refused(
    matrix: list[object], scale: tuple[int, ...], names: list[str], more: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        make_labels(np.array(matrix), scale, names, **more)  # type: ignore[arg-type]


def test_a_mismatched_verdict_column_is_refused() -> None:
    with pytest.raises(ValueError, match="adjudicated must have one entry"):
        Labels(np.zeros((2, 1), np.int16), (0, 1), (Annotator("a"),), adjudicated=np.zeros(3, np.int16))


def test_taking_some_items_keeps_annotators_and_renumbers_topics() -> None:
    labels = make_labels(np.array([[0], [1], [1]]), (0, 1), ["a"], topics=[7, 8, 9], adjudicated=np.array([0, 1, 1]))
    part = labels.take(np.array([False, True, True]))
    assert part.positions.tolist() == [[1], [1]]
    assert part.topics is not None
    assert part.topics.tolist() == [0, 1]
    assert part.annotators == labels.annotators
