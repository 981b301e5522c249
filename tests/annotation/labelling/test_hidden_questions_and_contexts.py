"""Question sets, rewrites and citation contexts stay hidden from people who still work on them."""

import pytest
from django.test import Client
from django.urls import reverse

from adjudication.exports.exporters.questions import EXPORTERS as QUESTION_EXPORTERS
from annotation.assignment.annotators import add_members
from annotation.assignment.assignments import assign_items
from annotation.campaigns.items import build_items
from annotation.campaigns.lifecycle import create_campaign
from annotation.models import (
    Assignment,
    Campaign,
    ExtractionSource,
    Rewrite,
    VotesSeen,
)
from tests.annotation.labelling.permissions import client_of
from tests.factories.adjudication import AT
from tests.factories.annotation import make_campaign, make_material
from tests.factories.papers import PaperFactory, make_content, make_extraction
from tests.factories.rubrics import Rubric, build_rubric, rate

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


# --- question sets: what is written decides, not what the address names -----------------------------------------------


def ada_rates() -> Rubric:
    """Ben has rated q1 and rewritten it; the adjudicator ada has all questions still to rate."""
    rubric = build_rubric(people=("ben", "ada"), overlap=2)
    rubric.collection.memberships.filter(user=rubric.people["ada"]).update(role="adjudicator")
    rate(rubric, "ben", "q1", rewrite="What do lips say that hands do not?")
    return rubric


def question_statuses(rubric: Rubric, person: str, campaign: str = "") -> dict[str, int]:
    client = Client()
    client.force_login(rubric.people[person])
    more = f"?campaign={campaign}" if campaign else ""
    found = {"question_set": client.get(reverse("question_set", args=["signs"]) + more).status_code}
    for kind in QUESTION_EXPORTERS:
        for name in ("export_download", "api_export"):
            found[f"{name} {kind.name}"] = client.get(reverse(name, args=["signs", kind.name]) + more).status_code
    found["rewrite_list"] = client.get(reverse("rewrite_list", args=["signs", rubric.campaign.slug])).status_code
    return found


def test_a_question_set_stays_hidden_from_people_who_still_rate_it() -> None:
    rubric = ada_rates()
    relevance = create_campaign(collection=rubric.collection, by=rubric.people["mia"], at=AT, name="Other", overlap=1)
    for campaign in ("", rubric.campaign.slug, relevance.slug):  # one that rates nothing narrows the set to nothing
        found = question_statuses(rubric, "ada", campaign)
        assert set(found.values()) == {403}, (campaign, found)
    page = client_of(rubric, "ada").get(reverse("question_set", args=["signs"])).content.decode()
    assert "You still have items to judge in Questions" in page
    assert rubric.topics["q1"].text not in page
    offers = client_of(rubric, "ada").get(reverse("export_list", args=["signs"])).content.decode()
    assert offers.count("You still have items to judge in Questions") == 2  # of two sections, each with all that wait
    assert 403 not in question_statuses(rubric, "mia").values()
    for number in ("q1", "q2", "q3"):
        rate(rubric, "ada", number)
    assert 403 not in question_statuses(rubric, "ada").values()


def test_an_earlier_round_over_the_same_questions_stays_hidden_while_they_are_rated_again() -> None:
    rubric = ada_rates()
    Assignment.objects.filter(annotator__user=rubric.people["ada"]).update(state="withdrawn", slot=None)
    assert 403 not in question_statuses(rubric, "ada").values()
    wanted = {"name": "Again", "kind": "rubric", "overlap": 1, "split": "dev"}
    again = create_campaign(collection=rubric.collection, by=rubric.people["mia"], at=AT, **wanted)
    add_members(campaign=again, users=[rubric.people["ada"]], by=rubric.people["mia"], at=AT)
    build_items(campaign=again, by=rubric.people["mia"], at=AT)
    assign_items(campaign=again, by=rubric.people["mia"], at=AT)
    found = question_statuses(rubric, "ada", rubric.campaign.slug)  # the list of rewrites of the earlier round included
    assert set(found.values()) == {403}


def test_a_rewrite_waits_until_its_reviewer_has_rated_the_question() -> None:
    rubric = ada_rates()
    rewrite = Rewrite.objects.get()
    ada, mia = client_of(rubric, "ada"), client_of(rubric, "mia")
    mia.post(
        reverse("rewrite_ask", args=["signs", rubric.campaign.slug]),
        {"rewrites": [rewrite.pk], "reviewer": rubric.people["ada"].email},
    )
    reviews = reverse("review_list", args=["signs", rubric.campaign.slug])
    decision = reverse("rewrite_decide", args=["signs", rubric.campaign.slug, rewrite.pk])
    assert "Nothing to confirm" in ada.get(reviews).content.decode()
    assert ada.post(decision, {"decision": "confirmed", "from": "reviews"}).status_code == 403
    rate(rubric, "ada", "q1")
    assert "<ins>" in ada.get(reviews).content.decode()
    assert ada.post(decision, {"decision": "confirmed", "from": "reviews"}).status_code == 302
    assert VotesSeen.objects.filter(user=rubric.people["ada"], item__topic__number="q1").exists()


# --- citation contexts ------------------------------------------------------------------------------------------------


def test_contexts_stay_hidden_from_people_who_still_work_on_papers() -> None:
    material = make_material(topics=0)
    papers = [PaperFactory(collection=material.collection) for _ in range(2)]
    make_campaign(material, name="Contexts", kind="extraction", overlap=1, annotators=False)
    campaign = Campaign.objects.get(slug="contexts")
    add_members(campaign=campaign, users=[material.people["ada"]], by=material.manager, at=AT)
    assign_items(campaign=campaign, by=material.manager, at=AT)
    late = PaperFactory(collection=material.collection, key="late")  # nobody's: an import has brought what it cites
    for paper in (*papers, late):
        make_extraction(paper, ExtractionSource.IMPORTED, make_content(values=("d0001", None)))
    levels = [(kind, f"?level={level}") for kind in ("topics", "qrels") for level in ("paragraph", "sentence")]
    addresses = [
        reverse(name, args=["teas", kind]) + more
        for kind, more in (*levels, ("acm-cr", ""), ("acm-cr", "?drafts=1"))
        for name in ("export_download", "api_export")
    ]
    material.collection.memberships.filter(user=material.people["ada"]).update(role="manager")
    client = Client()
    client.force_login(material.people["ada"])
    detail = reverse("paper_detail", args=["teas", late.pk])

    def found() -> dict[str, int]:
        return {address: client.get(address).status_code for address in addresses}

    assert set(found().values()) == {403}, found()
    assert client.get(reverse("export_download", args=["teas", "blacklist"])).status_code == 200
    assert client.get(reverse("export_list", args=["teas"])).text.count("items to judge in Contexts") == 1
    assert client.post(reverse("context_topics_create", args=["teas"]), {"level": "paragraph"}).status_code == 403
    listed = client.get(reverse("paper_list", args=["teas"])).content.decode()
    assert (listed.count(">hidden from you<"), listed.count("imported gold")) == (3, 0)
    assert "You still have items to judge in Contexts" in client.get(detail).content.decode()
    assert "d0001" not in client.get(detail).content.decode()
    Assignment.objects.update(state="withdrawn", slot=None)
    assert set(found().values()) == {200}, found()
    assert client.get(reverse("paper_list", args=["teas"])).content.decode().count("imported gold") >= 3
    assert "d0001" in client.get(detail).content.decode()
    assert client.post(reverse("context_topics_create", args=["teas"]), {"level": "paragraph"}).status_code == 302
