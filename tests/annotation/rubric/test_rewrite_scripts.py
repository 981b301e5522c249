"""Rewrites by command and by REST: asked about, decided, refused as on the pages."""

import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.models import Rewrite, RewriteReview
from tests.annotation.rubric.test_rewrites import WORDING, client_of, rubric, wording
from tests.factories.rubrics import Rubric

pytestmark = pytest.mark.django_db

__all__ = ["rubric"]  # a fixture


def step(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    call_command("rewrites", "signs", words[0], "--json", *words[1:])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def refused(reason: str, *words: str) -> None:
    with pytest.raises(CommandError, match=reason):
        call_command("rewrites", "signs", *words)


def test_rewrites_by_command(rubric: Rubric, capsys: pytest.CaptureFixture[str]) -> None:
    campaign, pk = rubric.campaign.slug, str(Rewrite.objects.get().pk)
    writer, other, mia = (rubric.people[name].email for name in ("writer", "other", "mia"))
    (found,) = step(capsys, "list", campaign)["rewrites"]
    assert (found["text"], found["standing"], found["reviews"]) == (WORDING, "open", [])
    assert 0 <= found["overlap"]["after"]["titles"] <= 1
    assert found["overlap_definition"] == "litsearch-code"
    refused("wrote one of these", "ask", campaign, writer, pk, "--by", mia)
    refused("Only managers and adjudicators", "ask", campaign, mia, pk, "--by", other)
    refused("No account has the address", "ask", campaign, "nobody@example.org", pk, "--by", mia)
    assert step(capsys, "ask", campaign, other, pk, "--by", mia, "--dry-run")["asked"] == 1
    assert not RewriteReview.objects.exists()
    assert [step(capsys, "ask", campaign, other, pk, "--by", mia)["asked"] for _ in range(2)] == [1, 0]
    assert step(capsys, "list", campaign, "--standing", "asked")["rewrites"]
    refused("somebody else has to", "decide", campaign, pk, "confirmed", "--by", writer)
    refused("no longer counts", "decide", campaign, "0", "confirmed", "--by", mia)
    decided = step(capsys, "decide", campaign, pk, "confirmed", "--by", other, "--comment", "Better.")
    assert (decided["decision"], wording(rubric)[0]) == ("confirmed", WORDING)
    (found,) = step(capsys, "list", campaign, "--standing", "confirmed")["rewrites"]
    assert found["reviews"][0]["comment"] == "Better."
    assert step(capsys, "list", campaign, "--standing", "rejected")["rewrites"] == []


@pytest.mark.slow
def test_rewrites_by_rest(rubric: Rubric) -> None:
    at, pk = f"/api/collections/signs/campaigns/{rubric.campaign.slug}/", Rewrite.objects.get().pk
    other = rubric.people["other"].email

    def send(person: str, address: str, expected: int, **body: Any) -> Any:
        answer = client_of(rubric, person).post(f"{at}{address}", body, content_type="application/json")
        assert answer.status_code == expected, answer.text
        return answer.json()

    assert client_of(rubric, "other").get(f"{at}rewrites/").status_code == 403
    send("other", "rewrite-reviews/", 403, rewrites=[pk], reviewer=other)
    send("mia", "rewrite-reviews/", 404, rewrites=[pk], reviewer="nobody@example.org")
    send("mia", "rewrite-reviews/", 422, rewrites=[pk], reviewer=rubric.people["writer"].email)
    send("other", f"rewrites/{pk}/decision/", 403, decision="confirmed")
    assert send("mia", "rewrite-reviews/", 200, rewrites=[pk], reviewer=other) == {"asked": 1}
    assert client_of(rubric, "writer").get(f"{at}rewrite-reviews/").json()["results"] == []
    original = rubric.topics["q1"].text
    (asked,) = client_of(rubric, "other").get(f"{at}rewrite-reviews/").json()["results"]
    assert asked == {"id": pk, "original": original, "text": WORDING}
    send("writer", f"rewrites/{pk}/decision/", 422, decision="confirmed")
    send("other", f"rewrites/{pk}/decision/", 400, decision="perhaps")
    assert send("other", f"rewrites/{pk}/decision/", 200, decision="rejected")["decision"] == "rejected"
    (found,) = client_of(rubric, "mia").get(f"{at}rewrites/").json()["results"]
    assert (found["standing"], found["topic"], found["reviews"][0]["decision"]) == ("rejected", "q1", "rejected")


def test_a_comment_that_is_too_long_is_refused_at_each_door_and_not_cut(rubric: Rubric) -> None:
    """Page and command stored its first 500 characters."""
    pk, mia, sent = Rewrite.objects.get().pk, rubric.people["mia"], {"decision": "confirmed", "comment": "x" * 501}
    client = client_of(rubric, "mia")
    page = client.post(reverse("rewrite_decide", args=["signs", rubric.campaign.slug, pk]), sent, follow=True)
    assert "at most 500 characters" in page.text
    address = f"/api/collections/signs/campaigns/{rubric.campaign.slug}/rewrites/{pk}/decision/"
    assert client.post(address, sent, content_type="application/json").status_code == 400
    refused(
        "at most 500", "decide", rubric.campaign.slug, str(pk), "confirmed", "--by", mia.email, "--comment", "x" * 501
    )
    assert not RewriteReview.objects.exists()
