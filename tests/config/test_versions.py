"""A version follows the one before: backups of earlier versions, kept in dumps/, are brought up to date with all rows.

Each is `manage.py backup` of a demo, made by the commit of that version. docs: "Migrations" in CONTRIBUTING.md.
Rows that a migration changes and the demo did not have are stored before (tests/config/earlier_rows.py).
"""

import csv
import io
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from accounts.models import AuditEvent, User
from accounts.sql import execute
from adjudication.agreement.figure_names import figure_names
from adjudication.agreement.figures import draw_figure
from adjudication.models import AgreementRun
from config.backups import _run, check, load
from config.tables import bring_up_to_date, missing_migrations
from tests.config.earlier_rows import DATA, HUB, STORED, VERBS, ZENODO
from tests.databases import connected_to
from tests.processes import CHECKOUT

pytestmark = [pytest.mark.slow, pytest.mark.django_db]
DUMPS = {path.stem: path for path in (Path(__file__).parent / "dumps").glob("*.dump")}
KEPT = {  # rows that no version may lose
    "0.1.0": {
        "accounts_user": 6, "accounts_auditevent": 91, "corpus_document": 40, "corpus_topic": 16, "corpus_aspect": 43,
        "corpus_target": 10, "corpus_retrievalrun": 4, "corpus_poolentry": 91, "corpus_paper": 3,
        "annotation_campaign": 5, "annotation_item": 1152, "annotation_assignment": 2616, "annotation_submission": 1275,
        "annotation_judgment": 1279, "annotation_machinereply": 160, "annotation_extractionrevision": 9,
        "adjudication_verdict": 651, "adjudication_agreementrun": 2, "adjudication_evaluation": 1,
        "adjudication_release": 1, "adjudication_split": 1,
    },
}  # fmt: skip
ADDED = {"0.1.0": Counter(accounts_auditevent=len(VERBS) + 6, adjudication_release=4)}  # by earlier_rows, in the end
# What tests alone set, and casts and brackets of lists in checks: a dump writes them elsewhere than it read them.
UNEQUAL = re.compile(
    r"\nWITH \(autovacuum_enabled='false'\)|, autovacuum_enabled='false'|::(character varying|text)(\[\])?|[()]"
)
PAGES = ("collection_dashboard", "topic_list", "campaign_list", "export_list", "release_list")


@contextmanager
def restored(version: str) -> Iterator[None]:
    """Inside the block Django works on a new database filled from the dump."""
    name = f"{connection.settings_dict['NAME']}_{version.replace('.', '_')}"
    with connection._nodb_cursor() as cursor:
        cursor.execute(f'DROP DATABASE IF EXISTS "{name}"')
        cursor.execute(f'CREATE DATABASE "{name}"')
    try:
        with connected_to(name):
            check(DUMPS[version])
            load(DUMPS[version])
            yield
    finally:
        with connection._nodb_cursor() as cursor:
            cursor.execute(f'DROP DATABASE "{name}"')


@pytest.fixture(scope="module")
def new_tables(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> list[str]:
    """Those of a database that this version has made."""
    with django_db_blocker.unblock():
        return tables()


@pytest.fixture(scope="module", params=sorted(DUMPS))
def version(request: pytest.FixtureRequest, new_tables: list[str], django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """An earlier version, whose data were brought up to date as `up` does; tests work on them."""
    with django_db_blocker.unblock(), restored(request.param):
        assert missing_migrations(), "nothing has changed since"
        STORED[request.param]()
        bring_up_to_date()
        yield request.param


def test_its_rows_are_kept(version: str) -> None:
    assert not missing_migrations()
    assert {table: count(table) for table in KEPT[version]} == Counter(KEPT[version]) + ADDED[version]


def count(table: str) -> Any:
    return execute(f"SELECT count(*) FROM {table}")[0][0]


def test_its_tables_are_those_of_a_new_database(version: str, new_tables: list[str]) -> None:
    """Also what no model shows: constraints, triggers, functions. Else a migration was changed after it was used."""
    assert tables() == new_tables


def tables() -> list[str]:
    """The statements that make the tables, in lines."""
    made = _run("pg_dump", "--schema-only", "--no-owner", "--no-privileges", "--exclude-table=corpus_documentvector")
    made = UNEQUAL.sub("", made)
    made = re.sub(r"\n(CREATE|COMMENT ON) EXTENSION [^\n]*", "", made)  # of vectors, made when the first are stored
    return [line for line in made.splitlines() if line and not line.startswith(("--", "\\"))]


def test_its_pages_open(version: str, client: Client) -> None:
    client.force_login(User.objects.get(email="maria@litmus.example"))
    for page in PAGES:
        assert client.get(reverse(page, args=["demo"])).status_code == 200, page


def test_its_agreement_has_figures_for_papers(version: str) -> None:
    """Those of 0.1.0 were files, drawn by the job that computed the agreement; now they are drawn from its results."""
    runs = list(AgreementRun.objects.all())
    assert [run.parameters.get("figures") for run in runs] == [None] * KEPT[version]["adjudication_agreementrun"]
    [criterion] = runs[0].detail
    first = next(iter(figure_names(runs[0], criterion)))
    assert draw_figure(runs[0], criterion, first, "svg").startswith(b"<?xml")


of_the_first = pytest.mark.parametrize("version", ["0.1.0"], indirect=True)


@of_the_first
def test_leaderboards_go_with_their_rows_and_what_was_done_on_them_stays_readable(version: str, client: Client) -> None:
    assert not {"adjudication_leaderboard", "adjudication_leaderboardentry"} & set(
        connection.introspection.table_names()
    )
    client.force_login(User.objects.get(email="maria@litmus.example"))
    assert "withdraw entry" in client.get(reverse("audit_list", args=["demo"])).text
    found = client.get(reverse("audit_download", args=["demo"]))
    rows = csv.DictReader(io.StringIO(b"".join(found.streaming_content).decode()))
    stored = [(row["verb"], row["data"]) for row in rows if row["target"] == "ours"]
    assert stored == [(verb, DATA) for verb in VERBS[:5]]


@of_the_first
def test_publications_leave_doi_and_address_with_their_releases(version: str, client: Client) -> None:
    assert "adjudication_publication" not in connection.introspection.table_names()
    found = execute("SELECT name, doi, address FROM adjudication_release WHERE name LIKE 'r_' ORDER BY version")
    assert [tuple(each) for each in found] == [
        ("r1", "10.5281/zenodo.1", f"{HUB}/tea-v1"), ("r2", "", ""), ("r3", "10.5281/zenodo.3", f"{ZENODO}/3"),
        ("r4", "", ""),
    ]  # fmt: skip
    client.force_login(User.objects.get(email="maria@litmus.example"))
    page = client.get(reverse("audit_list", args=["demo"])).text
    words = ("publish release", "cancel publication", "publication of release r1 at Zenodo", "carry over publication")
    assert not [each for each in words if each not in page]
    kept = AuditEvent.objects.filter(verb="carry_over_publication").order_by("pk")
    assert [(one.target, one.data["address"], one.data["doi"]) for one in kept] == [
        ("release r1", f"{HUB}/tea-v1", ""), ("release r1", f"{ZENODO}/1", "10.5281/zenodo.1"),
        ("release r1", f"{HUB}/nobody", ""), ("release r4", f"{ZENODO}/9", "10.5281/zenodo.9"),
        ("release r2", f"{ZENODO}/2", "10.5281/zenodo.2"), ("release r3", f"{ZENODO}/3", "10.5281/zenodo.3"),
    ]  # fmt: skip
    assert kept[2].data["anonymous"] is True


@of_the_first
def test_costs_of_replies_without_counts_of_tokens_are_not_known(version: str) -> None:
    costs = execute(
        "SELECT r.cost, count(*) FROM annotation_machinereply r JOIN annotation_machinerun j ON j.id = r.run_id"
        " WHERE j.kind = 'endpoint' GROUP BY 1 ORDER BY 1"
    )
    assert costs == [(Decimal("0.00012"), 1), (None, KEPT[version]["annotation_machinereply"] - 1)]


def test_every_earlier_version_has_a_dump() -> None:
    """The version of the code is the last of CHANGELOG.md; its dump is made before the next begins."""
    named = re.findall(r"(?m)^## (\d+\.\d+\.\d+)", (CHECKOUT / "CHANGELOG.md").read_text())
    own = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]["version"]
    assert set(DUMPS) == set(KEPT) >= set(named) - {own}
    assert own not in DUMPS
    assert own == settings.CODE_VERSION == re.search(r"(?m)^version: (.*)$", (CHECKOUT / "CITATION.cff").read_text())[1]
