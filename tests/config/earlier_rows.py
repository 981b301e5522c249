"""Rows that earlier versions could store and their demos did not have, each for a migration that changes it."""

import json
from typing import Any

from django.db import connection
from django.db.migrations.loader import MigrationLoader

from tests.factories.accounts import AT

HUB, ZENODO = "https://hub.example/datasets/ada", "https://zenodo.example/records"
DATA = json.dumps({"sha256": "ab"})
VERBS = (
    "open_leaderboard", "upload_run", "add_run_to_leaderboard", "withdraw_entry", "close_leaderboard",
    "publish_release", "cancel_publication",
)  # fmt: skip


def of_0_1_0() -> None:
    loader = MigrationLoader(connection)
    apps = loader.project_state([key for key in loader.applied_migrations if key in loader.graph.nodes]).apps
    collection = apps.get_model("corpus", "Collection").objects.get(slug="demo")
    user = apps.get_model("accounts", "User").objects.get(email="maria@litmus.example")
    board = apps.get_model("adjudication", "Leaderboard").objects.get(collection=collection)
    entry = board.entries.create(name="ours", ranked=10, figures={}, submitted_by=user, submitted_at=AT)
    _publications(apps, collection)
    _uncounted_replies(apps, collection)
    for verb in VERBS:
        target = ("adjudication.leaderboardentry", str(entry.pk), "ours")
        if "publi" in verb:
            target = ("adjudication.publication", "1", "publication of release r1 at Zenodo")
        kind, number, name = target
        apps.get_model("accounts", "AuditEvent").objects.create(
            at=AT, actor_id=user.pk, actor=user.email, verb=verb, scope_id=collection.pk, scope="demo",
            target_type=kind, target_id=number, target=name, data=json.loads(DATA),
        )  # fmt: skip


def _publications(apps: Any, collection: Any) -> None:
    r1, r2, r3, r4 = (
        apps.get_model("adjudication", "Release").objects.create(
            collection=collection, name=f"r{number}", version=10 + number, state="done", requested_at=AT, started_at=AT,
            finished_at=AT, frozen_at=AT, manifest_sha256="a" * 64, anonymous_sha256="b" * 64, pseudonym_key="k",
            summary={"files": 1, "bytes": 1, "documents": 1, "topics": 1, "labels": 1}, public_at=public_at,
        )
        for number, public_at in enumerate([None, AT, None, None], 1)
    )  # fmt: skip

    def publication(release: Any, **more: Any) -> None:
        """As a job stored it at the end."""
        made = {"destination": "huggingface", "state": "done", "requested_at": AT, "finished_at": AT, **more}
        if made["state"] == "done":
            made.setdefault("remote", "1")
        apps.get_model("adjudication", "Publication").objects.create(release=release, **made)

    publication(r1, address=f"{HUB}/tea-v1", public=True)
    publication(r1, destination="zenodo", address=f"{ZENODO}/1", doi="10.5281/zenodo.1", public=True)
    publication(r1, address=f"{HUB}/nobody", public=True, anonymous=True)
    publication(r4, destination="zenodo", address=f"{ZENODO}/9", doi="10.5281/zenodo.9", state="failed")
    # A page that everybody reads shows no draft and nothing private.
    publication(r2, destination="zenodo", address=f"{ZENODO}/2", doi="10.5281/zenodo.2")
    publication(r3, destination="zenodo", address=f"{ZENODO}/3", doi="10.5281/zenodo.3")
    publication(r3, destination="zenodo", state="queued", finished_at=None)  # it has nothing to carry over


def _uncounted_replies(apps: Any, collection: Any) -> None:
    """As if a model had judged whose endpoint counted the tokens of one reply alone: all others were stored as free."""
    prompts, runs, replies = (
        apps.get_model(*each)
        for each in (("corpus", "PromptTemplate"), ("annotation", "MachineRun"), ("annotation", "MachineReply"))
    )
    prompt = prompts.objects.create(
        collection=collection, purpose="relevance", name="uncounted", body="Judge.", sha256="a" * 64, created_at=AT
    )
    run = runs.objects.filter(kind="lexical").earliest("pk")
    prices = {"price_in": "1", "price_out": "2"}
    runs.objects.filter(pk=run.pk).update(kind="endpoint", prompt=prompt, parameters=run.parameters | prices)
    counted = replies.objects.filter(run=run).earliest("pk")
    replies.objects.filter(pk=counted.pk).update(prompt_tokens=100, completion_tokens=10, cost="0.00012")


STORED = {"0.1.0": of_0_1_0}  # each is called before the rows of that version are brought up to date
