"""Backgrounds leave Litmus in groups of five people or more, whatever was answered."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.consent.backgrounds import LEAST, OTHERS, anonymous_groups, background_groups, store_background
from annotation.models import Consent, ConsentText
from tests.factories.accounts import AT, CollectionFactory, UserFactory


@given(st.lists(st.sampled_from("abcdef"), max_size=60))
def test_no_group_is_small_and_none_can_be_worked_out(answers: list[str]) -> None:
    groups = anonymous_groups(answers)
    assert all(n >= LEAST for n in groups.values())
    assert not groups or sum(groups.values()) == len(answers)
    named = {answer: n for answer, n in groups.items() if answer != OTHERS}
    assert all(answers.count(answer) == n for answer, n in named.items())
    if max(map(answers.count, answers), default=0) == len(answers) >= LEAST:
        assert groups == {answers[0]: len(answers)}


@pytest.mark.parametrize(("answers", "groups"), [
    ("aaaaabb", {}),  # 7 people, 5 of one answer: the two would be known
    ("aaaaabbbbb", {"a": 5, "b": 5}),
    ("aaaaaaabbbbbc", {"a": 7, OTHERS: 6}),
    ("aaaaabbbcc", {"a": 5, OTHERS: 5}),
    ("aaaa", {}),
    ("", {}),
])  # fmt: skip
def test_groups_by_hand(answers: str, groups: dict[str, int]) -> None:
    assert anonymous_groups(answers) == groups


@pytest.mark.django_db
def test_answers_are_grouped_by_what_they_mean_and_silence_counts_as_such() -> None:
    collection = CollectionFactory()
    people = UserFactory.create_batch(10)
    for place, user in enumerate(people[:5]):
        said = {"field": " Chemistry " if place % 2 else "chemistry", "stage": "doctoral", "years": 3 + place % 3}
        store_background(collection, user, said)
    groups = background_groups(collection, [user.pk for user in people])
    assert groups["field"] == {"not said": 5, "chemistry": 5}
    assert groups["stage"] == {"not said": 5, "doctoral student": 5}
    assert groups["years in the field"] == {"not said": 5, "3 to 5": 5}
    assert groups["first language"] == {"not said": 10}
    store_background(collection, people[0], {"field": " ", "stage": "", "years": None})
    assert collection.backgrounds.count() == 4


@pytest.mark.django_db
def test_the_numbers_before_and_after_one_person_show_nothing_about_them() -> None:
    collection = CollectionFactory()
    text = ConsentText.objects.create(collection=collection, version=1, body="Agree.", created_at=AT)
    people = UserFactory.create_batch(10)
    shown = []
    for user in reversed(people):  # the order in which they agree counts
        Consent.objects.create(text=text, user=user, agreed_at=AT)
        store_background(collection, user, {"field": "Chemistry"})
        agreed = Consent.objects.filter(text=text).values_list("user", flat=True)
        shown.append(background_groups(collection, agreed)["field"])
    assert shown == [{}] * 4 + [{"chemistry": 5}] * 5 + [{"chemistry": 10}]
