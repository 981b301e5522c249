"""Prompts by page, command and REST: the same versions, the same refusals."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.models import Campaign
from corpus.models import PromptTemplate
from engines.text.questions import DEFAULT_TEMPLATE
from engines.text.reranking import STARTERS
from tests.factories.annotation import Material
from tests.factories.machines import BODY

pytestmark = pytest.mark.django_db

API = "/api/collections/teas/prompts/"
CAMPAIGN = "/api/collections/teas/campaigns/main-round/prompt-preview/"
PAGE = "/c/teas/campaigns/main-round/machines/prompts/"


@pytest.fixture
def client(made: Material) -> Client:
    client = Client()
    client.force_login(made.manager)
    return client


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "prompt.txt"
    path.write_text(BODY, "utf-8")
    return path


def prompts(capsys: pytest.CaptureFixture[str], step: str, *words: str) -> tuple[dict[str, Any], str]:
    call_command("prompts", "teas", step, "--json", *words)
    printed = capsys.readouterr()
    return json.loads(printed.out), printed.err


def post(client: Client, address: str, **body: Any) -> Any:
    return client.post(address, body, content_type="application/json")


def test_the_same_words_are_one_version_however_they_come(
    campaign: Campaign, client: Client, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, _ = prompts(capsys, "write", str(file), "--name", "Plain")
    again, said = prompts(capsys, "write", str(file), "--name", "Plain")
    rest = post(client, API, name="Plain", body=BODY)
    page = client.post(f"{PAGE}new/", {"name": "Plain", "body": BODY})
    assert (first["new"], again["new"], rest.status_code, page.status_code) == (True, False, 200, 302)
    assert "nothing was saved" in said
    assert {first["sha256"], again["sha256"], rest.json()["sha256"]} == {PromptTemplate.objects.get().sha256}
    changed = post(client, API, name="Plain", body=BODY + " Be careful.")
    assert (changed.status_code, changed.json()["version"]) == (201, 2)
    listed, _ = prompts(capsys, "list")
    assert [one["prompt"] for one in listed["prompts"]] == ["Plain@2", "Plain@1"]
    assert {one["sha256"] for one in client.get(API).json()["results"]} == {one["sha256"] for one in listed["prompts"]}
    assert prompts(capsys, "show", "Plain@1")[0]["body"] == BODY
    assert client.get(f"{API}{first['id']}/").json()["body"] == BODY


def test_a_dry_run_stores_nothing(campaign: Campaign, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found, said = prompts(capsys, "write", str(file), "--name", "Plain", "--dry-run")
    assert (found["dry_run"], found["new"], found["version"]) == (True, True, 1)
    assert said.startswith("Nothing was changed.")
    assert not PromptTemplate.objects.exists()


def test_prompts_for_questions_have_one_name(
    campaign: Campaign, client: Client, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(DEFAULT_TEMPLATE.encode())))
    written, _ = prompts(capsys, "write", "-", "--purpose", "questions")
    assert written["prompt"] == "inline citations@1"
    assert post(client, API, purpose="questions", body=DEFAULT_TEMPLATE).status_code == 200
    named = post(client, API, purpose="questions", name="Mine", body=DEFAULT_TEMPLATE)
    assert (named.status_code, "has one prompt for questions" in named.json()["detail"]) == (422, True)
    assert client.get(API, {"purpose": "relevance"}).json()["results"] == []


def test_prompts_for_reranking_are_written_by_command_rest_and_page(
    campaign: Campaign, client: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "turns.txt").write_text(STARTERS["Turns"])
    page = reverse("rerank_prompt_edit", args=["teas"])
    written, _ = prompts(capsys, "write", str(tmp_path / "turns.txt"), "--purpose", "reranking", "--name", "Turns")
    assert (written["prompt"], written["new"]) == ("Turns@1", True)
    body = STARTERS["Turns"]
    assert post(client, API, purpose="reranking", name="Turns", body=body).status_code == 200
    assert client.post(page, {"name": "Turns", "body": body}).status_code == 302
    assert PromptTemplate.objects.get().sha256 == written["sha256"]
    saved = client.post(page, {"name": "Turns", "body": body.replace("Send", "Give me")}, follow=True).text
    assert "Turns, version 2" in saved
    assert "Give me the first paper." in saved
    assert "[1] Title: " in client.get(page, {"from": written["id"]}).text, "what a model is sent about a paper"
    bad = body.replace("{query}", "{papers}", 1)
    for refused in (
        post(client, API, purpose="reranking", name="Turns", body=bad),
        client.post(page, {"name": "Turns", "body": bad}),
    ):
        assert (refused.status_code, "Show the papers once" in refused.text) == (422, True)


def test_the_message_of_an_item_is_that_of_the_page(
    campaign: Campaign, client: Client, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    item = str(campaign.items.order_by("pk")[1].pk)
    shown, _ = prompts(capsys, "preview", "main-round", "--file", str(file), "--item", item)
    rest = post(client, CAMPAIGN, body=BODY, item=item).json()
    assert {name: shown[name] for name in rest} == rest
    page = client.post(f"{PAGE}preview/", {"body": BODY, "item": item})
    assert page.context["preview"]["message"] == shown["message"]
    assert not PromptTemplate.objects.exists()


def test_bad_texts_and_names_are_refused_in_the_same_words(campaign: Campaign, client: Client, tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"caf\xe9 {aspect}")
    with pytest.raises(CommandError, match="is not UTF-8 text: byte 3"):
        call_command("prompts", "teas", "write", str(bad), "--name", "Plain")
    with pytest.raises(CommandError, match="No such file"):
        call_command("prompts", "teas", "write", str(tmp_path / "none"), "--name", "Plain")
    bad.write_text("Judge calmly.")
    with pytest.raises(CommandError, match=r"must hold \{aspect\} or \{query\}"):
        call_command("prompts", "teas", "write", str(bad), "--name", "Plain")
    with pytest.raises(CommandError, match=r"There is no prompt “Plain@3”\. There are no prompts yet"):
        call_command("prompts", "teas", "preview", "main-round", "--prompt", "Plain@3")
    for body, reason in (
        ({"name": "Plain", "body": "Judge calmly."}, "must hold {aspect} or {query}"),
        ({"body": "{aspect}"}, "Give the prompt a name"),
    ):
        refused = post(client, API, **body)
        assert (refused.status_code, reason in refused.json()["detail"]) == (422, True)
    assert post(client, CAMPAIGN, prompt="Plain", body=BODY).status_code == 400
    assert post(client, CAMPAIGN, body="{aspects}").status_code == 422
