"""Hints about aspects: what points away, what is too long, what is the same, what overlaps."""

import pytest

from engines.formats.reading import read_topics
from engines.formats.records import TopicRecord
from engines.text.aspect_checks import (
    CONTEXT,
    LONGER,
    OVERLAP,
    REPEATED,
    SAME,
    AspectText,
    Hint,
    check_aspects,
    check_draft,
    words_needing_context,
)
from tests.engines.formats.reading import records
from tests.shared import shared_path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It should be quick.", ["it"]),
        ("The paper trains a transformer and reports its memory.", []),
        ("They are compared with trees.", ["they"]),
        ("This method cleans labels.", ["this"]),
        ("This paper cleans labels.", []),
        ("Noise enters the labels, and these labels are cleaned.", []),
        ("Such noise is removed.", ["such"]),
        ("Sources such as encyclopedias are used.", []),
        ("The former is quicker than the latter.", ["former", "latter"]),
        ("The document compares decision trees.", []),
        ("", []),
    ],
)
def test_words_that_point_away(text: str, expected: list[str]) -> None:
    assert words_needing_context(text) == expected


def test_a_tree_without_faults_has_no_hints() -> None:
    tree = [
        AspectText("The paper cleans noisy labels of images.", ("Labels are noisy.",)),
        AspectText("It is about tea."),
    ]
    assert check_aspects(tree[:1]) == []
    assert check_aspects(tree) == [Hint(CONTEXT, "It is about tea.", "it")]


def test_a_part_longer_than_its_whole() -> None:
    below = "Labels are cleaned by hand with much patience."
    assert check_aspects([AspectText("Labels are cleaned.", (below,))]) == [Hint(LONGER, below, "Labels are cleaned.")]


def test_equal_but_for_signs() -> None:
    tree = [AspectText("Labels are cleaned."), AspectText("labels are CLEANED"), AspectText("Labels are cleaned.")]
    assert check_aspects(tree) == [Hint(SAME, "labels are CLEANED", "Labels are cleaned.")]


def test_two_aspects_that_say_much_the_same() -> None:
    one, other = "Noisy labels of images are cleaned.", "Cleaning noisy image labels."
    assert check_aspects([AspectText(one), AspectText(other), AspectText("Tea is brewed in pots.")]) == [
        Hint(OVERLAP, other, one)
    ]


@pytest.mark.shared
def test_the_published_aspects_seldom_need_a_second_look() -> None:
    """Hints that come all the time are read by nobody."""
    topics = records(read_topics(shared_path("data", "doris-mae", "queries.txt"), "auto"))
    found: dict[str, int] = {}
    texts = 0
    for topic in topics:
        assert isinstance(topic, TopicRecord)
        tree = [AspectText(aspect.text, tuple(child.text for child in aspect.children)) for aspect in topic.aspects]
        texts += sum(1 + len(each.below) for each in tree)
        for hint in check_aspects(tree):
            found[hint.kind] = found.get(hint.kind, 0) + 1
    assert texts == 1_715
    assert sum(found.values()) < texts / 5, found


DRAFTED = [AspectText("The paper cleans noisy labels.", ("Labels are noisy.",)), AspectText("The paper is about tea.")]


class TestDrafts:
    def test_a_new_aspect_is_held_against_all_others(self) -> None:
        found = check_draft(DRAFTED, "  Noisy labels are cleaned by it. ")
        assert [hint.kind for hint in found] == [OVERLAP]
        assert [hint.kind for hint in check_draft(DRAFTED, "It grows.")] == [CONTEXT]
        assert check_draft(DRAFTED, " ") == []

    def test_only_what_concerns_it(self) -> None:
        tree = [*DRAFTED, AspectText("It is new.")]
        assert check_draft(tree, "The paper is about cups.") == []

    def test_below_an_aspect(self) -> None:
        long = "The labels of the images are cleaned by hand."
        assert Hint(LONGER, long, DRAFTED[0].text) in check_draft(DRAFTED, long, below=0)
        assert check_draft(DRAFTED, "Cleaning is done.", below=1) == []

    def test_reworded_in_its_place(self) -> None:
        assert check_draft(DRAFTED, "The paper is about tea.", place=(1,)) == []
        found = check_draft(DRAFTED, "Labels", place=(0,))
        assert Hint(LONGER, "Labels are noisy.", "Labels") in found
        assert check_draft(DRAFTED, "Noise.", place=(0, 0)) == []

    def test_words_that_stand_there_already(self) -> None:
        assert check_draft(DRAFTED, "The paper is about tea.") == [Hint(REPEATED, "The paper is about tea.")]


def test_sub_aspects_may_touch_but_not_be_one() -> None:
    top = "The paper cleans noisy labels of images by hand and by machine."
    one, other = "Noisy labels are cleaned.", "It cleans labels that are noisy."
    found = check_aspects([AspectText(top, (one, "Noisy labels are cleaned by hand."))])
    assert found == []
    assert Hint(OVERLAP, other, one) in check_aspects([AspectText(top, (one, other))])
