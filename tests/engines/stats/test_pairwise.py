"""Two-annotator tables: what pages show next to the figures."""

import numpy as np
import pytest

from engines.stats.figures import pair_figure, topic_table
from engines.stats.labels import make_labels
from engines.stats.pairwise import confusion, tabulate
from engines.stats.reasons import Reason


def test_confusion_covers_the_full_scale_and_leaves_unused_rows_empty() -> None:
    found = confusion(tabulate(np.array([0, 0, 3, -1]), np.array([0, 3, 3, 1]), 4))
    assert found.counts == ((1, 0, 0, 1), (0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 1))
    assert found.row_shares == ((0.5, 0.0, 0.0, 0.5), None, None, (0.0, 0.0, 0.0, 1.0))
    assert found.class_agreement == (pytest.approx(2 / 3), None, None, pytest.approx(2 / 3))
    assert found.n_items == 3


def test_distances_are_on_the_declared_scale_whether_levels_occur_or_not() -> None:
    first, second = np.array([0, 2, 3, 3]), np.array([0, 3, 3, 2])
    assert pair_figure(first, second, 4, "cohen_kappa_linear").value != pytest.approx(
        pair_figure(np.array([0, 1, 2, 2]), np.array([0, 2, 2, 1]), 3, "cohen_kappa_linear").value
    )


def test_heat_map_figures_need_topics_and_two_annotators() -> None:
    with pytest.raises(ValueError, match="no topics"):
        topic_table(make_labels(np.zeros((2, 2), dtype=int), (0, 1), ["a", "b"]), ["accuracy"])
    alone = make_labels(np.zeros((2, 1), dtype=int), (0, 1), ["a"], topics=[1, 2])
    assert [one.reason for one in topic_table(alone, ["accuracy"])["accuracy"]] == [
        Reason.FEWER_THAN_TWO_ANNOTATORS
    ] * 2
