"""SQL that is put together once serves all values, and answers as the query itself would."""

from typing import Any

import pytest
from django.db.models import QuerySet

from accounts.models import User
from accounts.sql import query_rows
from tests.factories.accounts import UserFactory

pytestmark = pytest.mark.django_db


def others(user: int, *users: int) -> QuerySet[User, Any]:
    return User.objects.exclude(pk=user).filter(pk__in=users, is_staff=False).order_by("-pk").values_list("pk", "email")


def test_any_number_of_ids_is_answered_as_by_the_query(django_assert_num_queries) -> None:
    people = [UserFactory().pk for _ in range(4)] + [UserFactory(is_staff=True).pk]
    choices = [(people[0], people[1]), (people[1], people[0]), tuple(people), (people[4], people[4], people[3])]
    for ids in (*choices, *choices):
        with django_assert_num_queries(1):
            found = query_rows(others, *ids)
        assert found == list(others(*ids))
    assert query_rows(others, people[0], people[1]) == [(people[1], User.objects.get(pk=people[1]).email)]
