"""Papers adjudicated by command and by REST: what differs, what is taken, edited, accepted; who may see what."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent
from adjudication.papers.papers import fetch_case
from annotation.assignment.annotators import add_members
from annotation.models import Assignment, AssignmentState, Extraction, ExtractionSource
from annotation.papers.extractions import content_of
from corpus.models import Role
from engines.definitions.extractions import statements
from tests.adjudication.papers.test_papers import case_of, whose
from tests.factories.annotation import AT, add_person
from tests.factories.papers import PaperFactory
from tests.factories.versions import SECOND, Finished

pytestmark = pytest.mark.django_db


def step(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    call_command("adjudicate_papers", "teas", words[0], "--json", *words[1:])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def refused(reason: str, *words: str) -> None:
    with pytest.raises(CommandError, match=reason):
        call_command("adjudicate_papers", "teas", *words)


def accepted(built: Finished) -> Any:
    made = Extraction.objects.get(source=ExtractionSource.ADJUDICATED, campaign=built.campaign)
    return made.state, statements(content_of(made))


@pytest.mark.slow
def test_a_paper_by_command(built: Finished, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    at = ("contexts", built.paper.key)
    ann, bob = whose(built, "ann"), whose(built, "bob")
    (row,) = step(capsys, "list", "contexts", "--state", "open")["papers"]
    assert (row["paper"], row["differences"], row["versions"]) == (built.paper.key, 3, 2)
    shown = step(capsys, "show", *at)
    assert [one["kind"] for one in shown["differences"]] == ["sentences", "section", "reference"]
    assert [one["letter"] for one in shown["versions"]] == ["A", "B"]
    assert not any(name in json.dumps(shown) for name in ("Ann", "Bob", "@"))
    section = {each["versions"][0]: each["section"] for each in shown["differences"][1]["variants"]}
    assert section == {ann: "related work", bob: "introduction"}
    identifiers = [each["reference"]["identifier"] for each in shown["differences"][2]["variants"]]
    assert sorted(identifiers) == ["d0000", "d0001"]
    refused("no paper 10.9/none", "show", "contexts", "10.9/none")
    refused("no difference 9", "take", *at, "9", ann)
    refused("nothing to undo", "undo", *at)
    refused("3 differences are undecided", "accept", *at)
    assert step(capsys, "take", *at, "2", bob, "--dry-run")["undecided"] == 2
    assert not Extraction.objects.filter(source=ExtractionSource.ADJUDICATED).exists()
    assert step(capsys, "take", *at, "2", bob)["state"] == "begun"
    refused("decided or submitted again", "take", *at, "1", ann, "--seen", shown["seen"])
    assert step(capsys, "undo", *at)["undecided"] == 3
    assert step(capsys, "redo", *at)["undecided"] == 2
    assert step(capsys, "take-rest", *at, ann)["undecided"] == 0
    content = step(capsys, "content", *at)["content"]
    content["contexts"][1]["section"] = "method"
    file = tmp_path / "content.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    assert step(capsys, "write", *at, str(file))["edited"]
    file.write_text("{", encoding="utf-8")
    refused("is not JSON", "write", *at, str(file))
    file.write_text('{"contexts": 7}', encoding="utf-8")
    refused("cannot be stored", "write", *at, str(file))
    assert step(capsys, "accept", *at, "--despite")["state"] == "decided"
    refused("accepted already", "accept", *at)
    assert step(capsys, "reopen", *at)["state"] == "begun"
    refused("not accepted", "reopen", *at)
    step(capsys, "take-everything", *at, bob)
    step(capsys, "accept", *at, "--despite")
    assert accepted(built) == ("finished", statements(SECOND))
    add_members(
        campaign=built.campaign,
        users=[add_person(built.material, "cyd", Role.ANNOTATOR)],
        by=built.material.manager,
        at=AT,
    )
    assert step(capsys, "send-back", *at)["paper"] == built.paper.key
    refused("Another judge has already been asked", "send-back", *at)


@pytest.mark.parametrize("by_name", [True, False])
@pytest.mark.parametrize("door", ["page", "rest", "command"])
def test_a_difference_and_a_variant_are_named_alike_at_each_door(built: Finished, door: str, by_name: bool) -> None:
    """The command took a number and a letter, page and REST only names."""
    case = fetch_case(built.item)
    found, (side,) = case.comparison.differences[1], [each for each in case.sides if each.letter == "B"]
    said = found.of(side.assignment)
    assert said is not None
    difference, variant = (found.name, said.name) if by_name else ("2", "B")
    client = Client()
    client.force_login(built.material.people["ada"])
    if door == "command":
        call_command("adjudicate_papers", "teas", "take", "contexts", built.paper.key, difference, variant)
    elif door == "page":
        sent = {"take": f"{difference} {variant}", "seen": case.seen}
        client.post(reverse("paper_choose", args=["teas", "contexts", built.item.pk]), sent)
    else:
        address = f"/api/collections/teas/campaigns/contexts/papers/{built.item.pk}/choice/"
        client.post(address, {"difference": difference, "variant": variant}, content_type="application/json")
    assert fetch_case(built.item).choices == {found.name: said.name}


def test_an_empty_paper_is_not_accepted(built: Finished) -> None:
    """Nobody has finished it, so there is nothing that could count."""
    untouched = PaperFactory(collection=built.material.collection)
    built.campaign.items.create(paper=untouched, split=built.campaign.split)
    refused("Fewer than two people", "accept", "contexts", untouched.key)


@pytest.mark.slow
def test_a_paper_by_rest(built: Finished) -> None:
    at = "/api/collections/teas/campaigns/contexts/papers/"
    paper = f"{built.item.pk}/"
    client = Client()

    def ask(method: str, address: str, expected: int, **body: Any) -> Any:
        answer = client.generic(method, f"{at}{address}", json.dumps(body), content_type="application/json")
        assert answer.status_code == expected, answer.text
        return answer.json()

    for name in ("ann", "vic"):
        client.force_login(built.material.people[name])
        ask("GET", "", 403)
        ask("GET", paper, 403)
        ask("POST", f"{paper}choice/", 403, rest="A")
    client.force_login(built.material.people["ada"])
    (row,) = ask("GET", "?state=open", 200)
    assert (row["item"], row["differences"]) == (built.item.pk, 3)
    shown = ask("GET", paper, 200)
    first = shown["differences"][0]
    chosen = {"difference": first["difference"], "variant": first["variants"][0]["variant"]}
    ask("POST", f"{paper}choice/", 422, difference=first["difference"])
    ask("POST", f"{paper}choice/", 422, rest="A", everything="B")
    ask("POST", f"{paper}choice/", 422, difference="9", variant="A")
    assert ask("POST", f"{paper}choice/", 200, seen=shown["seen"], **chosen)["undecided"] == 2
    ask("POST", f"{paper}choice/", 409, seen=shown["seen"], **chosen)
    ask("POST", f"{paper}acceptance/", 422)
    ask("POST", f"{paper}step/", 200, step="undo")
    assert ask("POST", f"{paper}choice/", 200, everything=whose(built, "bob"))["undecided"] == 0
    found = ask("GET", f"{paper}content/", 200)
    found["content"]["contexts"][1]["section"] = "method"
    assert ask("PUT", f"{paper}content/", 200, **found)["edited"]
    ask("PUT", f"{paper}content/", 409, **found)
    ask("POST", f"{paper}step/", 200, step="undo")
    assert ask("POST", f"{paper}acceptance/", 200, despite=True)["state"] == "decided"
    assert accepted(built) == ("finished", statements(SECOND))
    assert ask("POST", "majorities/", 200) == {"alike": 0, "accepted": 0, "decided": 1, "left": 0}
    assert ask("DELETE", f"{paper}acceptance/", 200)["state"] == "begun"
    ask("DELETE", f"{paper}acceptance/", 409)
    ask("POST", f"{paper}sending-back/", 422)


@pytest.mark.slow
def test_by_rest_nobody_sees_the_versions_of_a_paper_they_worked_on(built: Finished) -> None:
    people = [built.material.people[name] for name in ("ada", "mia")]
    add_members(campaign=built.campaign, users=people, by=built.material.manager, at=AT)
    for slot, judge in enumerate(built.campaign.annotators.filter(user__in=people), 3):
        mine = {"state": AssignmentState.DONE, "slot": slot, "finished_at": AT}
        Assignment.objects.create(item=built.item, annotator=judge, **mine)
    at = f"/api/collections/teas/campaigns/contexts/papers/{built.item.pk}/"
    choice = {"everything": whose(built, "ann")}
    for name, reading, overriding in (("ada", 403, 403), ("mia", 422, 200)):
        client = Client()
        client.force_login(built.material.people[name])
        assert client.get(at).status_code == reading
        assert client.get(f"{at}content/").status_code == reading
        assert client.post(f"{at}choice/", choice, content_type="application/json").status_code == reading
        assert client.post(f"{at}opening/").status_code == overriding
        sent = client.post(f"{at}choice/", choice | {"override": True}, content_type="application/json")
        assert sent.status_code == overriding
    opened = AuditEvent.objects.filter(verb="open_own_item")
    assert set(opened.values_list("actor", flat=True)) == {built.material.people["mia"].email}
    assert case_of(built).comparison.undecided(case_of(built).choices) == []
