"""Steps of the guide that are taken where its line stands."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts import jobs
from adjudication.guide.steps import STEPS
from adjudication.guide.ways import BUTTON
from adjudication.models import AgreementRun, VoteRun
from annotation.models import Assignment, CampaignState, ExtractionSource
from corpus.models import InvitedRole, PoolRun, Role, TopicKind
from tests.adjudication.guide.test_guide import guide, line
from tests.factories.accounts import AT
from tests.factories.annotation import make_campaign, make_material
from tests.factories.papers import PaperFactory, make_content, make_extraction

pytestmark = pytest.mark.django_db


def press(client: Client, page: str, label: str, **typed: str) -> str:
    """Press this button of the guide on the page; the page to which it leads back."""
    shown = client.get(page).text
    forms = re.findall(r'<form[^>]+action="([^"]+/guide/[^"]+)">(.*?)</form>', shown, re.S)
    [(action, inside)] = [form for form in forms if f">{label}</button>" in form[1]]
    sent = dict(re.findall(r'name="(next|campaign)" value="([^"]*)"', inside)) | typed
    answer = client.post(action, sent)
    assert (answer.status_code, answer["Location"]) == (302, page)
    return client.get(page).text


def test_steps_are_taken_where_the_line_stands(client: Client) -> None:
    made = make_material(topics=1, aspects=1, documents=2, annotators=(), pooled=False)
    client.force_login(made.manager)
    overview = reverse("collection_dashboard", args=[made.collection.slug])
    assert "In the queue since" in press(client, overview, "Build pools")
    jobs.carry_out(PoolRun.objects.get())
    campaign = make_campaign(made, overlap=1, strategy="queue")
    detail = reverse("campaign_detail", args=[made.collection.slug, campaign.slug])
    press(client, detail, "I judge myself")
    assert "Next:" not in client.get(detail).text  # a draft shows its check list alone
    client.post(reverse("campaign_open", args=[made.collection.slug, campaign.slug]))
    campaign.refresh_from_db()
    assert campaign.state == CampaignState.OPEN
    assert ">Judge</a>" in client.get(detail).text
    mine = Assignment.objects.filter(item__campaign=campaign)
    mine.update(state="done", annotator=campaign.annotators.get(), finished_at=AT)
    shown = press(client, detail, "Count votes")
    assert VoteRun.objects.exists() or "has no judgments yet" in shown
    assert not AgreementRun.objects.exists()


def test_one_press_makes_topics_of_both_levels(client: Client) -> None:
    made = make_material(topics=0, documents=1)
    paper = PaperFactory(collection=made.collection)
    make_extraction(paper, ExtractionSource.IMPORTED, make_content(values=(made.documents[0].docno, None)))
    client.force_login(made.manager)
    shown = press(client, reverse("collection_dashboard", args=[made.collection.slug]), "Make topics")
    assert "Paragraphs: 1 topic made" in shown
    kinds = made.collection.topics.values_list("kind", flat=True)
    assert set(kinds) == {TopicKind.CONTEXT_PARAGRAPH, TopicKind.CONTEXT_SENTENCE}
    assert line(made.collection) == "make a run to evaluate"


def test_people_are_invited_where_the_line_stands(client: Client, settings: Any) -> None:
    settings.EMAIL_BACKEND = "accounts.mail.NoServerBackend"
    made = make_material(topics=1, aspects=1, documents=2, annotators=("ana",))
    campaign = make_campaign(made, overlap=2, strategy="queue", annotators=False)
    client.force_login(made.manager)
    page = reverse("campaign_detail", args=[made.collection.slug, campaign.slug])
    assert "no e-mail address: fay@" in press(client, page, "Invite", emails="eva@example.org, fay@")
    assert "is a viewer" in press(client, page, "Invite", emails=f"eva@example.org, {made.people['vic'].email}")
    assert not campaign.annotators.exists()
    assert not InvitedRole.objects.exists()
    shown = press(client, page, "Invite", emails=f"eva@example.org, {made.people['ana'].email}")
    people = reverse("member_list", args=[made.collection.slug])
    link = f'<a href="{people}#invited">copy the link</a> and hand it over.'
    assert f"2 people added to {campaign}. No mail was sent: {link}" in shown
    assert 'id="invited"' in client.get(people).text
    assert campaign.annotators.get(invited__isnull=False).invited.role == Role.ANNOTATOR
    assert line(made.collection) == f"open “{campaign}”"
    press(client, reverse("collection_dashboard", args=[made.collection.slug]), "Open the campaign")
    waits = guide(made.collection)
    assert waits.lacks == "1 invited person has not joined yet."
    assert [way.label for way in waits.ways] == ["See the progress", "Invitation links"]


def test_buttons_are_for_their_roles_and_lead_nowhere_else(client: Client) -> None:
    made = make_material(annotators=("ana",))
    address = reverse("guide_step", args=[made.collection.slug, "pools", "build"])
    for name in ("vic", "ada"):
        client.force_login(made.people[name])
        assert client.post(address).status_code == 403
    client.force_login(made.manager)
    assert client.post(address, {"next": "https://evil.example/"})["Location"].startswith("/c/")
    assert client.post(reverse("guide_step", args=[made.collection.slug, "pools", "open"])).status_code == 404
    assert client.post(reverse("guide_step", args=[made.collection.slug, "open", "open"])).status_code == 404
    acts = {(step.key, act) for step in STEPS for act in step.acts}
    assert acts == {
        ("pools", "build"),
        ("people", "invite"),
        ("people", "join"),
        ("open", "open"),
        ("votes", "count"),
        ("agreement", "measure"),
        ("context_topics", "make"),
    }
    assert BUTTON == "button"
