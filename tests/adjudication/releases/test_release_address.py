"""DOI and address of a release: stated after freezing, corrected, and shown."""

from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEvent
from accounts.refusals import Refused
from adjudication.models import Release
from adjudication.releases.releases import state_release_address
from adjudication.releases.verifying import verify_release
from corpus.models import Membership
from tests.adjudication.releases.releasing import folder_of
from tests.factories.adjudication import Built

pytestmark = pytest.mark.django_db

DOI, ADDRESS = "10.5281/zenodo.1234567", "https://hub.example/datasets/ada/tea-v1"


@pytest.fixture
def manager(built: Built, release: Release, client: Client) -> Client:
    client.force_login(built.people["manager"])
    return client


def stated() -> tuple[str, str]:
    found = Release.objects.get()
    return found.doi, found.address


def events() -> list[dict[str, Any]]:
    return list(AuditEvent.objects.filter(verb="state_release_address").order_by("pk").values_list("data", flat=True))


def test_it_is_stated_and_corrected(built: Built, manager: Client) -> None:
    """Each field alone; what is said again is no event."""
    where = [built.collection.slug, "v1"]
    for change, now in (
        ({"doi": f"https://doi.org/{DOI}", "address": ADDRESS}, (DOI, ADDRESS)),
        ({"doi": "doi:10.5281/zenodo.7"}, ("10.5281/zenodo.7", ADDRESS)),
        ({"address": ""}, ("10.5281/zenodo.7", "")),
        ({"doi": "10.5281/zenodo.7"}, ("10.5281/zenodo.7", "")),
    ):
        answer = manager.patch(reverse("api_release", args=where), change, content_type="application/json")
        assert answer.json() == {"name": "v1", "doi": now[0], "address": now[1]}
        assert stated() == now
    assert manager.get(reverse("api_release", args=where)).json()["doi"] == "10.5281/zenodo.7"
    assert "10.5281/zenodo.7" in manager.get(reverse("release_address", args=where)).text
    assert [(each["doi"], each["address"]) for each in events()] == [
        (DOI, ADDRESS), ("10.5281/zenodo.7", ADDRESS), ("10.5281/zenodo.7", ""),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"doi": "zenodo.1234567"}, "is not a DOI"),
        ({"doi": "10.5281/"}, "is not a DOI"),
        ({"doi": "10.5281/a\u202eb"}, "is not a DOI"),
        ({"address": "javascript:alert(1)"}, "begins with https:// or http://"),
        ({"address": "https://hub.example/a b"}, "without spaces"),
    ],
)
def test_what_is_none_is_refused(release: Release, wrong: dict[str, str], reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        state_release_address(release=release, by=None, at=timezone.now(), **wrong)
    assert (stated(), events()) == (("", ""), [])


def test_nobody_states_it_who_still_has_to_judge(built: Built, manager: Client) -> None:
    where = [built.collection.slug, "v1"]
    page, rest = reverse("release_address", args=where), reverse("api_release", args=where)
    built.items[0].assignments.filter(annotator=built.annotators["zebulon"]).update(state="pending")
    manager.force_login(built.people["zebulon"])
    Membership.objects.filter(user=built.people["zebulon"]).update(role="manager")
    assert manager.post(page, {"doi": DOI}).status_code == 403
    assert manager.patch(rest, {"doi": DOI}, content_type="application/json").status_code == 403
    assert stated() == ("", "")
    with pytest.raises(CommandError, match="There is no release v2"):
        call_command("state_release_address", built.collection.slug, "v2", doi=DOI)


@pytest.mark.slow
def test_it_is_shown_where_releases_are_and_to_no_reviewer(built: Built, release: Release, manager: Client) -> None:
    slug, stranger = built.collection.slug, Client()
    detail = manager.get(reverse("release_detail", args=[slug, "v1"])).text
    assert "hf auth login\nhf upload YOUR-NAME/tea-v1 tea-v1 . --repo-type dataset --private" in detail
    assert f'href="/c/{slug}/releases/v1/files/datacite.json"' in detail
    assert "People still judge in Main round" in detail  # so it must stay private there too
    state_release_address(release=release, by=None, at=timezone.now(), doi=DOI, address=ADDRESS)
    found = Release.objects.get()
    assert verify_release(folder_of(found, anonymous=False)).remade is True  # no file has it
    built.campaign.state, built.campaign.closed_at = "closed", timezone.now()
    built.campaign.save()
    found.public_at, found.anonymous_token = timezone.now(), "token"
    found.save()
    for address, client in (
        (reverse("release_detail", args=[slug, "v1"]), manager),
        (reverse("public_release", args=[slug, "v1"]), stranger),
    ):
        page = client.get(address).text
        assert f'href="https://doi.org/{DOI}"' in page, address
        assert f'href="{ADDRESS}"' in page, address
    assert DOI in manager.get(reverse("release_list", args=[slug])).text
    page = stranger.get(reverse("reviewing_release", args=["token"])).text
    assert DOI not in page
    assert ADDRESS not in page


@pytest.mark.parametrize(
    ("constraint", "changed"),
    [
        ("release_doi_form", {"doi": "zenodo.1"}),
        ("release_address_form", {"address": "javascript:alert(1)"}),
        (
            "release_elsewhere_is_frozen",
            {"doi": DOI, "state": "failed", "frozen_at": None, "manifest_sha256": "", "anonymous_sha256": ""},
        ),
    ],
)
@pytest.mark.usefixtures("release")
def test_the_database_holds_it(constraint: str, changed: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        Release.objects.update(**changed)
