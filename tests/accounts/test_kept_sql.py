"""SQL that is put together once serves all values, and answers as the query itself would."""

from typing import Any

import pytest
from django.db.models import QuerySet

from accounts import kept_sql
from accounts.models import User
from tests.factories.accounts import UserFactory

pytestmark = pytest.mark.django_db


def others(user: int, *users: int) -> QuerySet[User, Any]:
    return User.objects.exclude(pk=user).filter(pk__in=users, is_staff=False).order_by("-pk").values_list("pk", "email")


def test_any_number_of_ids_is_answered_as_by_the_query(django_assert_num_queries) -> None:
    people = [UserFactory().pk for _ in range(4)] + [UserFactory(is_staff=True).pk]
    asked = [(people[0], people[1]), (people[1], people[0]), tuple(people), (people[4], people[4], people[3])]
    for ids in (*asked, *asked):
        with django_assert_num_queries(1):
            found = kept_sql.rows(others, *ids)
        assert found == list(others(*ids))
    assert kept_sql.rows(others, people[0], people[1]) == [(people[1], User.objects.get(pk=people[1]).email)]
