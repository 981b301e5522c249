"""What a migration does to rows that an earlier version stored."""

import csv
import io
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent
from accounts.sql import execute
from tests.factories.accounts import AT, CollectionFactory, MembershipFactory

LEADERBOARDS = {"adjudication_leaderboard", "adjudication_leaderboardentry"}
VERBS = ("open_leaderboard", "upload_run", "add_run_to_leaderboard", "withdraw_entry", "close_leaderboard")


def migrated(name: str) -> Any:
    """The apps as the models of that migration of adjudication know them; the database is brought there."""
    executor = MigrationExecutor(connection)
    return executor.migrate([("adjudication", name)]).apps


@pytest.mark.slow
@pytest.mark.django_db
def test_leaderboards_go_with_their_rows_and_what_was_done_on_them_stays_readable(client: Client) -> None:
    manager = MembershipFactory(role="manager", collection=CollectionFactory(slug="tea"))
    collection, user = manager.collection, manager.user
    apps = migrated("0001_tables")
    board = apps.get_model("adjudication", "Leaderboard").objects.create(
        collection_id=collection.pk, selector="targets", label="Targets", measures=["R@1"], uploads=3,
        gold={"gains": {"1": {"d": 1}}}, unit="query", n_topics=10, opened_by_id=user.pk, opened_at=AT,
    )  # fmt: skip
    entry = board.entries.create(name="ours", ranked=10, figures={}, submitted_by_id=user.pk, submitted_at=AT)
    for verb in VERBS:
        AuditEvent.objects.create(
            at=AT, actor_id=user.pk, actor=user.email, verb=verb, scope_id=collection.pk, scope="tea",
            target_type="adjudication.leaderboardentry", target_id=str(entry.pk), target="ours", data={"sha256": "ab"},
        )  # fmt: skip
    execute("SET CONSTRAINTS ALL IMMEDIATE")  # tables with pending checks cannot be dropped
    migrated("0002_drop_leaderboards")
    assert not LEADERBOARDS & set(connection.introspection.table_names())
    client.force_login(user)
    assert "withdraw entry" in client.get(reverse("audit_list", args=["tea"])).text
    found = client.get(reverse("audit_download", args=["tea"]))
    rows = csv.DictReader(io.StringIO(b"".join(found.streaming_content).decode()))
    assert [(row["verb"], row["target"], row["data"]) for row in rows] == [
        (v, "ours", '{"sha256": "ab"}') for v in VERBS
    ]
