"""Known answers from a file: as the verb stores them, errors by line, nothing written by a dry run."""

import contextlib
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Campaign, KnownAnswer
from tests.factories.annotation import make_campaign, make_material

pytestmark = pytest.mark.django_db

ROWS = (
    "topic;aspect;docno;value;explanation",
    "1;Does thing 1.1.;d0000;2;It is on tea.",
    "1;Does thing 1.2.;d0001;9;off the scale",
    "8;x;d0001;1;no such topic",
    "02;Does thing 2.1.;d0001;0;",
)


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(make_material(), items=False)


def load(folder: Path, *options: str) -> Any:
    path = folder / "known.csv"
    path.write_text("\n".join(ROWS) + "\n", "utf-8")
    out = StringIO()
    where = ("teas", "main-round", str(path), "--match", "zeros", *options, "--json")
    with contextlib.suppress(CommandError, SystemExit):
        call_command("import_known_answers", *where, stdout=out, stderr=StringIO())
    return json.loads(out.getvalue())


def test_rows_become_known_answers_and_what_is_wrong_is_said_by_line(campaign: Campaign, tmp_path: Path) -> None:
    tried = load(tmp_path, "--dry-run")
    assert (tried["created"], KnownAnswer.objects.count(), campaign.items.count()) == (2, 0, 0)
    done = load(tmp_path)
    assert [(error["line"], error["reason"].split(".")[0]) for error in done["errors"]] == [
        (3, "The value 9 is not on the scale of relevance (0, 1, 2)"),
        (4, "Topic 8 is not in the collection"),
    ]
    stored = KnownAnswer.objects.order_by("item__topic__number").values_list("value", "explanation")
    assert list(stored) == [(2, "It is on tea."), (0, "")]
    again = load(tmp_path)
    assert (again["created"], again["unchanged"]) == (0, 2)
