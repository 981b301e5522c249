"""Judgments from files through the API: what the page and the command do, by the same action."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import jobs
from annotation.models import Annotator, Campaign, CampaignState, Judgment
from corpus.models import Collection, ImportRun
from tests.annotation.imports.judgment_rows import HEADER, counts, row
from tests.factories.annotation import make_campaign

pytestmark = pytest.mark.django_db
ROWS = [row("Ana", 1, 1, 0, 2), row("Somebody", 1, 2, 3, 1)]


@pytest.fixture
def send(made, client: Client, settings, tmp_path):
    """Sends lines of CSV to the campaign's imports, by default as its manager."""
    settings.MEDIA_ROOT = tmp_path  # dry runs keep their files

    def run(*lines: str, by=None, name="api_judgment_imports", where=("main-round",), **fields) -> HttpResponse:
        client.force_login(by or made.manager)
        file = SimpleUploadedFile("labels.csv", "\n".join([HEADER, *lines]).encode() + b"\n")
        return client.post(reverse(name, args=["teas", *where]), {"files": [file], **fields})

    return run


def finished(answer: HttpResponse) -> ImportRun:
    """The import that was asked for, carried out."""
    assert answer.status_code == 202, answer.text
    run = ImportRun.objects.get(pk=answer.json()["id"])
    jobs.carry_out(run)
    run.refresh_from_db()
    return run


def test_the_api_brings_in_what_the_command_brings_in(campaign, load, send, client) -> None:
    tried = finished(send(*ROWS, dry_run="true"))
    assert (tried.state, tried.created, Judgment.objects.count()) == ("done", 2, 0)
    assert (run := finished(send(*ROWS))).created == 2
    assert {each.imported_in_id for each in Annotator.objects.filter(name="Somebody")} == {run.pk}
    assert counts(load(*ROWS)) == (0, 0, 2, 0)
    listed = client.get(reverse("api_judgment_imports", args=["teas", campaign.slug])).json()["results"]
    assert [(each["kind"], each["created"], each["unchanged"]) for each in listed] == [
        *(("judgments", 2, 0), ("judgments", 2, 0), ("judgments", 0, 2))
    ]


def test_whose_labels_they_are_is_said_as_on_the_page(campaign, send) -> None:
    finished(send("0,1,Does thing 1.1.,d0000,2", annotator="gpt", machine="true"))
    assert Annotator.objects.get(name="gpt").kind == "machine"
    assert Judgment.objects.get().assignment.annotator.name == "gpt"


def test_the_api_refuses_what_the_page_refuses(made, campaign, send, client) -> None:
    def refused(answer: HttpResponse) -> tuple[int, str]:
        assert not ImportRun.objects.exists()
        return answer.status_code, answer.json()["detail"]

    assert send(*ROWS, kind="judgments").status_code == 400  # the address says it
    Campaign.objects.filter(pk=campaign.pk).update(state=CampaignState.CLOSED)
    status, reason = refused(send(*ROWS))
    page = client.post(
        reverse("judgment_import", args=["teas", campaign.slug]),
        {"uploads": [SimpleUploadedFile("labels.csv", HEADER.encode())]},
    )
    assert (status, page.status_code) == (422, 422)
    assert reason == "Main round is closed. Reopen it first."
    assert "is closed" in page.text
    Collection.objects.update(archived_at=timezone.now())
    assert refused(send(*ROWS))[0] == 409


def test_a_campaign_without_items_takes_nothing(made, send) -> None:
    campaign = make_campaign(made)
    campaign.items.all().delete()
    answer = send(*ROWS)
    assert (answer.status_code, ImportRun.objects.count()) == (422, 0)
    assert "has no items yet" in answer.json()["detail"]


def test_the_imports_of_the_collection_say_where_judgments_go(campaign, send) -> None:
    answer = send(*ROWS, name="api_imports", where=(), kind="judgments")
    assert answer.status_code == 400
    assert "belong to a campaign: send the files to imports/ below the campaign's" in str(answer.json()["errors"])
