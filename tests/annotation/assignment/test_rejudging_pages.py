"""The pages of judging again, for its people and for managers."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.refusals import Conflict
from annotation.assignment.rejudging import (
    withdraw_rejudging,
)
from annotation.labelling.guidelines import note_guideline_seen
from annotation.labelling.units_ahead import begin_visit
from annotation.models import Annotator, Assignment, Campaign, Judgment
from tests.annotation.assignment.test_rejudging import LATER, answer, ask, change, counts, items, judged, person
from tests.factories.annotation import annotator, make_campaign, make_material

pytestmark = pytest.mark.django_db


# --- what its person sees --------------------------------------------------------------------------------------------


def seen(client: Client, campaign: Campaign) -> str:
    """All that Ana can read of her own answers."""
    ana = annotator(campaign, "ana")
    client.force_login(ana.user)  # type: ignore[arg-type]
    at = ["teas", campaign.slug]
    own = ana.assignments.filter(repeat=0).order_by("pk")
    pages = [reverse("label_history", args=at), reverse("api_judgments", args=at)]
    pages += [f"{reverse('labelling_screen', args=at)}?item={one.pk}" for one in own]
    return " ".join(client.get(page).content.decode() for page in pages)


def test_while_judging_again_the_former_answer_is_out_of_sight_unless_it_is_shown(client: Client) -> None:
    campaign = judged()
    ana = annotator(campaign, "ana")
    former = ana.assignments.get(item=items(campaign)[2], repeat=0)
    last = former.submissions.get()
    assert str(last.uuid) in seen(client, campaign)
    newest = change(campaign)
    ask(campaign)
    assert str(last.uuid) not in seen(client, campaign)
    for kind in ("answer", "skip"):
        result = answer(campaign, "ana", former.item, 1, kind=kind, of=former)
        assert result.outcome == "not-counted"
    with pytest.raises(Conflict, match="cannot be undone"):
        raise answer(campaign, "ana", former.item, None, kind="undo", of=former)
    assert counts(campaign)[2] == 2
    client.force_login(ana.user)  # type: ignore[arg-type]
    units = client.get(reverse("api_next", args=["teas", campaign.slug])).json()["units"]
    assert {cell["answer"] for unit in units for cell in unit["cells"]} == {None}
    assert len(units) == 4
    withdraw_rejudging(campaign=campaign, by=None, at=LATER)
    ask(campaign, shows_former=True)
    assert str(last.uuid) in seen(client, campaign)
    answer(campaign, "ana", former.item, 0, newest)
    assert str(last.uuid) not in seen(client, campaign), "what was replaced is no longer theirs to change"


def test_the_changed_guideline_is_open_once_on_the_screen_that_deals_it_like_any_other() -> None:
    campaign = judged()
    ana = annotator(campaign, "ana")
    Annotator.objects.filter(pk=ana.pk).update(guideline_seen=2, guideline_folded=2)
    newest = change(campaign)
    ask(campaign)
    where = {"collection": "teas", "campaign": campaign.slug}
    participation, units, _ = begin_visit(**where, browser="", by=ana.user, at=LATER)  # type: ignore[arg-type]
    assert (len(units), participation.keeps_guideline_open) == (4, True)
    note_guideline_seen(**where, version=newest, by=ana.user)  # type: ignore[arg-type]
    participation, units, _ = begin_visit(**where, browser="", by=ana.user, at=LATER)  # type: ignore[arg-type]
    assert (len(units), participation.keeps_guideline_open) == (4, False)


# --- what managers see -----------------------------------------------------------------------------------------------


def test_where_nothing_can_be_asked_again_the_page_has_the_reason_and_no_form(client: Client) -> None:
    campaign = judged()
    at = ["teas", campaign.slug]
    where = reverse("rejudging_request", args=at)
    client.force_login(campaign.collection.memberships.get(role="manager").user)

    def shown() -> tuple[bool, bool]:
        page = client.get(where).content.decode().partition("<main")[2]
        return "Ask again</button>" in page, "Change the guideline</a>" in page

    change(campaign)
    assert shown() == (True, False)
    campaign.annotators.update(state="paused")
    assert shown() == (False, True)
    assert "nobody can be asked about what was judged" in client.get(where).text
    Judgment.objects.all().delete()
    assert shown() == (False, True)
    assert "nothing that counts was judged by an earlier version" in client.get(where).text
    refused = client.post(where)
    assert (refused.status_code, "No judgment by an earlier version" in refused.text) == (422, True)
    assert "Ask again</button>" in refused.text, "where the reason stands in the form"


def test_a_guideline_of_one_version_has_nothing_to_ask_again_and_the_page_no_form(client: Client) -> None:
    campaign = make_campaign(make_material())
    client.force_login(campaign.collection.memberships.get(role="manager").user)
    page = client.get(reverse("rejudging_request", args=["teas", campaign.slug])).content.decode()
    assert "The guideline has only one version" in page
    assert "Change the guideline</a>" in page
    assert "Ask again</button>" not in page


def test_it_is_asked_for_and_stopped(client: Client) -> None:
    campaign = judged()
    at = ["teas", campaign.slug]
    client.force_login(campaign.collection.memberships.get(role="manager").user)
    change(campaign)
    assert reverse("rejudging_request", args=at) in client.get(reverse("guideline_edit", args=at)).content.decode()
    assert (
        "8 judgments of 4 items by 2 people can be asked again."
        in client.get(reverse("rejudging_request", args=at)).text
    )
    page = client.post(reverse("rejudging_request", args=at), {"grades": "2", "topics": "2"}, follow=True)
    text = page.content.decode()
    assert "2 judgments of 2 items by 1 person are asked again." in text
    assert person(campaign).pending == 2
    rows = client.get(reverse("api_rejudging", args=at)).json()["people"]
    assert [(row["name"], row["pending"], row["again"]) for row in rows] == [("Ana", 2, 0)]
    assert client.delete(reverse("api_rejudging", args=at)).json()["judgments"] == 2
    assert not Assignment.objects.filter(repeat=3, state="pending").exists()
    wrong = client.post(reverse("rejudging_request", args=at), {"grades": "good"})
    assert (wrong.status_code, "Grades are whole numbers" in wrong.content.decode()) == (422, True)
