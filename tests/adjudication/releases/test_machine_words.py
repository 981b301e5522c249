"""What a machine said is shown next to its label wherever people look at labels, and goes out with them."""

import json
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from adjudication.models import Verdict
from annotation.models import AnnotatorKind, Judgment, MachineReply, MachineRun, ReplyState
from engines.formats.judgment_columns import MOST_SAID
from tests.adjudication.exports.exporting import codes, text_of
from tests.adjudication.releases.releasing import folder_of, freeze
from tests.factories.accounts import AT
from tests.factories.adjudication import Built

pytestmark = pytest.mark.django_db

ROBOT = "Robot, run 1"


@pytest.fixture
def judged(built: Built) -> list[Judgment]:
    """The robot's labels, each with the reply that it was read from."""
    run = MachineRun.objects.create(
        campaign=built.campaign,
        annotator=built.annotators[ROBOT],
        kind="lexical",
        recipe={"kind": "lexical", "model": "robot", "temperature": 0.0, "thresholds": [0.4, 0.8]},
        recipe_hash="ab" * 32,
        requested_at=AT,
    )
    run.criteria.set([built.criterion], through_defaults={"recipe_hash": run.recipe_hash, "run_number": 1})
    labels = list(
        Judgment.objects.filter(assignment__annotator=run.annotator).select_related("assignment__item__topic")
    )
    MachineReply.objects.bulk_create(
        MachineReply(
            run=run,
            item=label.assignment.item,
            state=ReplyState.ANSWERED,
            text=words(label),
            received_at=AT,
        )
        for label in labels
    )
    return labels


def words(label: Judgment) -> str:
    return f"It meets the\n<requirement> {label.assignment.item_id}." + " So it does." * 20 + " CONCUR"


def text_in_html(label: Judgment) -> str:
    return words(label).replace("<", "&lt;").replace(">", "&gt;")


def where(label: Judgment) -> dict[str, str]:
    item = label.assignment.item
    return {"topic": item.topic.number, "docno": item.document.docno if item.document else ""}


def test_people_read_the_words_next_to_the_label(built: Built, judged: list[Judgment], client: Client) -> None:
    client.force_login(built.people["manager"])
    slugs, label = [built.collection.slug, built.campaign.slug], judged[0]
    verdict = Verdict.objects.get(item=label.assignment.item, criterion=built.criterion)
    person = next(each for each in built.annotators.values() if each.kind == AnnotatorKind.HUMAN)
    addresses = [
        reverse("adjudication_screen", args=slugs) + f"?verdict={verdict.pk}",
        reverse("judgment_list", args=slugs) + f"?item={label.assignment.item_id}",
        reverse("disagreement_list", args=slugs) + f"?pair={person.pk},{label.assignment.annotator_id}&all=1&alike=1",
    ]
    for address in addresses:
        assert text_in_html(label) in client.get(address).text, address
    MachineReply.objects.filter(item=label.assignment.item).update(text="Short.\n<CONCUR>")
    assert "Short.<br>&lt;CONCUR&gt;" in client.get(addresses[1]).text
    MachineReply.objects.filter(item=label.assignment.item).update(text=words(label))
    explained = client.get(reverse("line_detail", args=slugs[:1]), where(label)).text
    assert text_in_html(label) in explained


def test_the_command_and_rest_explain_with_the_words(
    built: Built, judged: list[Judgment], client: Client, capsys: Any
) -> None:
    slug, label = built.collection.slug, judged[0]
    call_command("explain", slug, *where(label).values(), "--json")
    printed = capsys.readouterr()
    said = [one.get("said") for line in json.loads(printed.out)["lines"] for one in line["labels"] if one["machine"]]
    assert words(label) in said
    assert not any(
        "said" in one for line in json.loads(printed.out)["lines"] for one in line["labels"] if not one["machine"]
    )
    assert f"“It meets the <requirement> {label.assignment.item_id}. So it does." in printed.err


def test_judgments_and_doris_mae_s_json_have_the_words(built: Built, judged: list[Judgment], tmp_path: Any) -> None:
    rows = [json.loads(line) for line in text_of(built, "judgments-jsonl").splitlines()]
    assert {row["said"] for row in rows if row.get("machine")} == set(map(words, judged))
    assert not any("said" in row for row in rows if not row.get("machine"))
    assert f'"{words(judged[0])}"' in text_of(built, "judgments")
    found = json.loads(text_of(built, "doris-mae"))["Annotation"]
    assert {each["gpt_response"] for each in found} == set(map(words, judged))
    assert (
        codes(built, "doris-mae")["other_words"] == "warning"
    )  # people decided otherwise than the robot, which gave 1
    # What came with an import goes first, and is cut nowhere but at the longest that is kept.
    file = tmp_path / "words.jsonl"
    item = judged[0].assignment.item
    row = {"annotator": "gpt", "topic": item.topic.number, "aspect": item.aspect and item.aspect.text, "value": 1}
    row |= {"docno": item.document and item.document.docno, "machine": True, "said": "x" * (MOST_SAID + 5)}
    file.write_text(json.dumps(row))
    call_command("import_judgments", built.collection.slug, built.campaign.slug, str(file))
    rows = [json.loads(line) for line in text_of(built, "judgments-jsonl").splitlines()]
    assert [len(row["said"]) for row in rows if row["annotator"] == "gpt"] == [MOST_SAID]


def test_a_release_has_the_words_without_names(built: Built, judged: list[Judgment]) -> None:
    MachineReply.objects.filter(item=judged[0].assignment.item).update(text="Zebulon would CONCUR")
    release = freeze(built)
    folder = folder_of(release, anonymous=False)
    (file,) = folder.rglob("judgments.jsonl")
    said = [row["said"] for row in map(json.loads, file.read_text().splitlines()) if "said" in row]
    assert len(said) == len(judged)
    assert not any("Zebulon" in each for each in said)
    assert "said" not in (folder / "lines.jsonl").read_text()
