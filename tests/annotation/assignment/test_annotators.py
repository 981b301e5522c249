"""Annotators added and changed by command and REST."""

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from accounts.models import AuditEvent, User
from annotation.assignment.annotators import add_members
from annotation.models import Campaign
from tests.annotation.campaigns.test_commands import refusal, run
from tests.databases import second_of
from tests.factories.accounts import AT
from tests.factories.annotation import Material, make_campaign, make_material

pytestmark = pytest.mark.django_db


@pytest.fixture
def made() -> Material:
    return make_material()


@pytest.fixture
def campaign(made: Material) -> Campaign:
    return make_campaign(made, items=False, annotators=False)


def states(campaign: Campaign) -> dict[str, str]:
    return dict(campaign.annotators.order_by("name").values_list("name", "state"))


def test_annotators_are_added_and_changed_by_command(campaign: Campaign) -> None:
    place = ("teas", campaign.slug)
    added, words = run("add_annotators", *place, "BEN@example.org", "ana@example.org", "--name", "Zoe")
    assert added == {"campaign": "main-round", "annotators": ["Ana", "Ben", "Zoe"]}
    assert "manage.py assign" in words
    assert run("add_annotators", *place, "ana@example.org")[0]["annotators"] == []
    machine, _ = run("add_annotators", *place, "--name", "Robin", "--kind", "machine", "--model", "m-1")
    assert machine["annotators"] == ["Robin"]
    assert campaign.annotators.get(name="Robin").model == "m-1"
    run("update_annotator", *place, "ana@example.org", "--capacity", "5")  # named by address or by name
    changed, _ = run("update_annotator", *place, "Ana", "--no-capacity", "--weight", "2")
    assert changed | {"name": "Ana", "kind": "human", "state": "active", "weight": 2.0, "capacity": None} == changed


def test_what_cannot_be_added_or_changed_says_what_to_do(campaign: Campaign) -> None:
    place = ("teas", campaign.slug)
    assert "Nobody to add" in refusal("add_annotators", *place)
    assert "Give --name too" in refusal("add_annotators", *place, "ana@example.org", "--model", "m-1")
    assert "Invite them first" in refusal("add_annotators", *place, "ana@example.org", "nobody@example.org")
    assert "is a viewer" in refusal("add_annotators", *place, "vic@example.org", "--name", "Zoe")
    assert not campaign.annotators.exists()
    assert "It has none" in refusal("update_annotator", *place, "Ana", "--weight", "2")
    run("add_annotators", *place, "ana@example.org")
    assert "There are: Ana." in refusal("update_annotator", *place, "Ann", "--weight", "2")
    assert "at least one of name, weight" in refusal("update_annotator", *place, "Ana")
    assert "greater than or equal to 0.01" in refusal(
        "update_annotator", *place, "Ana", "--weight", "0", "--state", "paused"
    )
    assert "Only a machine has a model" in refusal("add_annotators", *place, "--name", "Zoe", "--model", "m-1")
    assert states(campaign) == {"Ana": "active"}
    with pytest.raises(CommandError, match="not allowed with"):
        call_command("update_annotator", *place, "Ana", "--capacity", "3", "--no-capacity")
    with pytest.raises(CommandError, match="invalid choice"):
        call_command("update_annotator", *place, "Ana", "--state", "asleep")


def test_annotators_are_added_and_changed_by_rest(made: Material, campaign: Campaign, client) -> None:
    client.force_login(made.manager)
    address = reverse("api_annotators", args=["teas", campaign.slug])

    def send(method: str, to: str, **body: object):
        answer = getattr(client, method)(to, body, content_type="application/json")
        return answer.status_code, answer.json()

    status, added = send("post", address, emails=["ana@example.org", "ben@example.org"])
    assert (status, [each["name"] for each in added]) == (201, ["Ana", "Ben"])
    status, [robin] = send("post", address, name="Robin", kind="machine", model="m-1")
    assert (status, robin["kind"], robin["model"]) == (201, "machine", "m-1")
    assert send("post", address, name="Robin")[0] == 409
    assert send("post", address, emails=["nobody@example.org"])[0] == 422
    assert send("post", address, emails=["cai@example.org"], name="Cai")[0] == 400
    one = reverse("api_annotator", args=["teas", campaign.slug, added[0]["id"]])
    status, changed = send("patch", one, state="paused", weight=0.5, capacity=3)
    assert (status, changed["state"], changed["weight"], changed["capacity"]) == (200, "paused", 0.5, 3)
    assert send("patch", one, weight=0)[0] == 400
    assert send("patch", one)[0] == 400
    assert send("patch", one, state="removed", capacity=None)[1]["state"] == "removed"
    assert send("patch", one, state="paused", name="Anna")[0] == 422  # as a whole: the name stays
    assert [each["name"] for each in client.get(address).json()["results"]] == ["Ana", "Ben", "Robin"]
    assert client.get(one).json() == {**changed, "state": "removed", "capacity": None}
    verbs = AuditEvent.objects.order_by("pk").values_list("verb", flat=True)
    assert [*verbs][-6:] == [
        "add_annotators",
        "add_annotators", "update_annotator", "pause_annotator", "update_annotator", "remove_annotator",
    ]  # fmt: skip


@pytest.mark.django_db(transaction=True)
def test_who_is_added_twice_at_the_same_moment_is_added_once() -> None:
    made = make_material()
    campaign = make_campaign(made, items=False, annotators=False)
    ana, ben = made.people["ana"], made.people["ben"]

    def add(*users: User) -> list[str]:
        return [each.name for each in add_members(campaign=campaign, users=users, by=None, at=AT)]

    assert second_of(lambda: add(ana), lambda: add(ben, ana)) == ["Ben"]
    assert states(campaign) == {"Ana": "active", "Ben": "active"}
