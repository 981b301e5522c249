"""Judgments as CSV and JSON Lines, out and in again: nothing that an export says is lost."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.management import call_command

from annotation.campaigns.guidelines import write_guideline
from annotation.labelling.answers import AnswerInput
from annotation.labelling.submissions import submit
from annotation.models import Annotator, Campaign, Submission
from corpus.models import ImportRun
from tests.annotation.assignment.test_assignments import start
from tests.annotation.imports.judgment_rows import HEADER
from tests.corpus.imports.importing import counts
from tests.factories.annotation import AT, annotator, make_campaign, make_material

pytestmark = pytest.mark.django_db


@pytest.fixture
def made():
    """A campaign with two guidelines in which Ana has judged two items, one with a note and a flag."""
    made = make_material()
    campaign = prepare(made, "Main")
    first, second = annotator(campaign, "ana").assignments.order_by("position")[:2]
    note = "=1+1, “really”\nsure?"
    given = [
        AnswerInput(uuid4(), first.pk, answers={"relevance": 2}, note=note, flagged=True, active_ms=900),
        AnswerInput(uuid4(), second.pk, answers={"relevance": 0}),
    ]
    submit(collection="teas", campaign=campaign.slug, inputs=given, by=made.people["ana"], at=AT + timedelta(hours=2))
    return made


def prepare(made, name):
    campaign = make_campaign(made, name=name, overlap=3)
    for body in ("First.", "Second."):
        write_guideline(campaign=campaign, body=body, by=made.manager, at=AT)
    if name == "Main":
        start(campaign, overlap=1)
        Campaign.objects.filter(pk=campaign.pk).update(overlap=3)  # two slots of each item are free
    return campaign


def export(campaign, path):
    call_command("export", "teas", "--format", "judgments", "--campaign", campaign, "--out", str(path))
    return path.read_text()


def take(campaign, path):
    call_command("import_judgments", "teas", campaign, str(path))
    return ImportRun.objects.latest("pk")


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_an_export_comes_in_again_without_loss(made, tmp_path, suffix) -> None:
    aspect, docno = made.aspects[0], made.documents[0].docno
    elsewhere, item = tmp_path / "elsewhere.csv", f"{aspect.topic.number},{aspect.text},{docno}"
    elsewhere.write_text(
        f"{HEADER},machine,model,run,reason,note,flagged,guideline,at,active_ms,said\n"
        f"Zoe,{item},1,0,,,off topic,a note,1,1,2024-05-06T07:08:09.5+02:00,1234,\n"
        f'gpt,{item},2,1,gpt-x,3,,,0,,2024-05-06T07:08:09Z,,"It does.\n\nCONCUR"\n'
    )
    assert counts(take("main", elsewhere)) == (2, 0, 0, 0)
    whole = export("main", tmp_path / f"whole.{suffix}")
    for said in ("off topic", "a note", "2024-05-06T05:08:09.5", "1234", "gpt-x", "sure?", "CONCUR"):
        assert said in whole
    prepare(made, "Again")
    assert counts(take("again", tmp_path / f"whole.{suffix}")) == (4, 0, 0, 0)
    assert export("again", tmp_path / f"again.{suffix}") == whole
    assert counts(take("again", tmp_path / f"whole.{suffix}")) == (0, 0, 4, 0)  # again changes nothing
    machine = Annotator.objects.get(campaign__slug="again", name="gpt")
    assert (machine.model, machine.run_number) == ("gpt-x", 3)


@pytest.mark.slow
def test_what_was_given_otherwise_is_an_update_and_silence_is_none(made, tmp_path) -> None:
    aspect, docno = made.aspects[0], made.documents[0].docno
    path = tmp_path / "a.csv"
    row = f"Zoe,{aspect.topic.number},{aspect.text},{docno},1"
    for more, cells, expected in (
        (",note", ",better read", (1, 0, 0, 0)),
        ("", "", (0, 0, 1, 0)),
        (",note,flagged", ",better read,1", (0, 1, 0, 0)),
        (",guideline", ",7", (0, 0, 1, 0)),
    ):
        path.write_text(f"{HEADER}{more}\n{row}{cells}\n")
        run = take("main", path)
        assert counts(run) == expected
    assert "versions of the guideline that this campaign does not have (7)" in run.remarks[-1]
    last = Submission.objects.filter(assignment__annotator__name="Zoe").latest("pk")
    assert (last.note, last.flagged) == ("better read", True)


@pytest.mark.parametrize(
    ("column", "cell", "words"),
    [
        ("at", "yesterday", "a time with its zone is expected"),
        ("at", "2024-05-06T07:08:09", "a time with its zone is expected"),
        ("guideline", "v2", "a whole number up to"),
        ("flagged", "perhaps", "1 or 0 is expected"),
        ("reason", "x" * 61, "reason is longer than 60 characters"),
    ],
)
def test_what_cannot_be_kept_is_a_problem_of_its_row(made, tmp_path, column, cell, words) -> None:
    aspect, docno = made.aspects[0], made.documents[0].docno
    path = tmp_path / "a.csv"
    rows = [f"{name},{aspect.topic.number},{aspect.text},{docno},1,{said}\n" for name, said in (("Z", cell), ("Y", ""))]
    path.write_text(f"{HEADER},{column}\n{''.join(rows)}")
    run = take("main", path)
    assert counts(run) == (1, 0, 0, 1)
    assert words in run.errors[0]["reason"]
