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


def publication(apps: Any, release: Any, **more: Any) -> Any:
    """As a job stored it at the end."""
    made = {"destination": "huggingface", "state": "done", "requested_at": AT, "finished_at": AT, **more}
    if made["state"] == "done":
        made.setdefault("remote", "1")
    return apps.get_model("adjudication", "Publication").objects.create(release=release, **made)


@pytest.mark.slow
@pytest.mark.django_db
def test_publications_leave_doi_and_address_with_their_releases(client: Client) -> None:
    manager = MembershipFactory(role="manager", collection=CollectionFactory(slug="tea"))
    collection, user = manager.collection, manager.user
    apps = migrated("0004_cluster_of_agreement")
    releases = {
        name: apps.get_model("adjudication", "Release").objects.create(
            collection_id=collection.pk, name=name, version=number, state="done", requested_at=AT, started_at=AT,
            finished_at=AT, frozen_at=AT, manifest_sha256="a" * 64, anonymous_sha256="b" * 64, pseudonym_key="k",
            summary={"files": 1, "bytes": 1, "documents": 1, "topics": 1, "labels": 1}, public_at=public_at,
        )
        for number, (name, public_at) in enumerate([("v1", None), ("v2", AT), ("v3", None), ("v4", None)], 1)
    }  # fmt: skip
    hub, zenodo = "https://hub.example/datasets/ada", "https://zenodo.example/records"
    v1, v2, v3 = releases["v1"], releases["v2"], releases["v3"]
    publication(apps, v1, address=f"{hub}/tea-v1", public=True)
    publication(apps, v1, destination="zenodo", address=f"{zenodo}/1", doi="10.5281/zenodo.1", public=True)
    publication(apps, v1, address=f"{hub}/nobody", public=True, anonymous=True)
    cut = {"address": f"{zenodo}/9", "doi": "10.5281/zenodo.9", "state": "failed"}
    publication(apps, releases["v4"], destination="zenodo", **cut)
    # A page that everybody reads shows no draft and nothing private.
    publication(apps, v2, destination="zenodo", address=f"{zenodo}/2", doi="10.5281/zenodo.2")
    publication(apps, v3, destination="zenodo", address=f"{zenodo}/3", doi="10.5281/zenodo.3")
    publication(apps, v3, destination="zenodo", state="queued", finished_at=None)  # it has nothing to carry over
    for verb in ("publish_release", "cancel_publication"):
        AuditEvent.objects.create(
            at=AT, actor_id=user.pk, actor=user.email, verb=verb, scope_id=collection.pk, scope="tea",
            target_type="adjudication.publication", target_id="1", target="publication of release v1 at Zenodo",
        )  # fmt: skip
    execute("SET CONSTRAINTS ALL IMMEDIATE")
    migrated("0005_release_addresses")
    assert "adjudication_publication" not in connection.introspection.table_names()
    found = execute("SELECT name, doi, address FROM adjudication_release ORDER BY version")
    assert [tuple(each) for each in found] == [
        ("v1", "10.5281/zenodo.1", f"{hub}/tea-v1"), ("v2", "", ""), ("v3", "10.5281/zenodo.3", f"{zenodo}/3"),
        ("v4", "", ""),
    ]  # fmt: skip
    client.force_login(user)
    page = client.get(reverse("audit_list", args=["tea"])).text
    words = ("publish release", "cancel publication", "publication of release v1 at Zenodo", "carry over publication")
    assert not [each for each in words if each not in page]
    kept = AuditEvent.objects.filter(verb="carry_over_publication").order_by("pk")
    assert [(one.target, one.data["address"], one.data["doi"]) for one in kept] == [
        ("release v1", f"{hub}/tea-v1", ""), ("release v1", f"{zenodo}/1", "10.5281/zenodo.1"),
        ("release v1", f"{hub}/nobody", ""), ("release v4", f"{zenodo}/9", "10.5281/zenodo.9"),
        ("release v2", f"{zenodo}/2", "10.5281/zenodo.2"), ("release v3", f"{zenodo}/3", "10.5281/zenodo.3"),
    ]  # fmt: skip
    assert kept[2].data["anonymous"] is True
