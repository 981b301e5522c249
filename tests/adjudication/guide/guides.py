"""The guide of a collection as its tests read it, each of whose ways is tried."""

from django.db import transaction
from django.test import Client
from django.urls import reverse

from adjudication.guide.guide import Guide, guide_for
from adjudication.guide.ways import LINK
from annotation.models import Campaign
from corpus.models import Collection, Membership, Role

PAGES = ("collection_dashboard", "export_list", "evaluation_list", "release_list")
TRIED: set[tuple[str, str]] = set()  # ways that are known to lead on


def guide(collection: Collection, role: Role = Role.MANAGER, campaign: Campaign | None = None) -> Guide:
    membership = Membership.objects.select_related("user", "collection").filter(collection=collection, role=role)
    return guide_for(membership[0], campaign)


def line(collection: Collection) -> str:
    """The line of this state, whose ways lead on."""
    found = guide(collection)
    check_ways(found)
    return found.words


def check_ways(found: Guide) -> None:
    """Links open and buttons are taken, by whom they are offered; each is tried where it is first seen."""
    for way in found.ways:
        assert found.next is not None
        if (tried := (found.next.key, way.label)) in TRIED:
            continue
        client = Client()
        client.force_login(found.facts.membership.user)
        with transaction.atomic():
            if way.sort == LINK:
                assert client.get(way.address).status_code == 200, tried
            else:
                own = reverse("guide_step", args=[found.facts.collection.slug, found.next.key, way.act or "-"])
                campaign = {"campaign": found.facts.campaign.slug} if found.facts.campaign else {}
                answer = client.post(way.address or own, campaign | {"emails": "eva@example.org"})
                assert answer.status_code in (302, 422), tried
            transaction.set_rollback(True)
        TRIED.add(tried)
