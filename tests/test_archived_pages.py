"""Pages of an archived collection offer nothing that the archive refuses."""

import re
from html import unescape

import pytest
from django.test import Client
from django.urls import Resolver404, resolve, reverse
from django.utils import timezone

from annotation.models import Campaign, CampaignState
from corpus.middleware import ALWAYS_OPEN
from corpus.models import Role
from tests.access_table import ROLES, TABLE
from tests.access_walk import path_of
from tests.access_world import World, make_world

# What asks for something to be written, and where it is sent to.
SENDS = re.compile(r'\bhx-(?:post|put|patch|delete)="([^"]+)"|<form\b(?=[^>]*\bmethod="post")([^>]*)>')
OWN_FORM = re.compile(r'<form\b(?=[^>]*\bmethod="post")(?![^>]*\baction=)[^>]*>(.*?)</form>', re.DOTALL)
ACTION = re.compile(r'\baction="([^"]*)"')
LINK = re.compile(r'<a\b[^>]*?\bhref="(/[^"#]*)')

# Forms that are read as well, without a button: those behind tabs, and what was written to the managers.
READ_AS_WELL = {"assignment_plan", "campaign_edit", "criteria_edit", "guideline_edit", "inquiry_detail"}
READ_AS_WELL |= {"statement_edit"}
SCREENS = {"extraction_detail", "labelling_screen"}  # they say that nothing is saved


@pytest.fixture(scope="module")
def shared_world(module_db: None) -> World:
    world = make_world()
    world.collection.archived_at = timezone.now()
    world.collection.save(update_fields=["archived_at"])
    return world


@pytest.mark.slow
@pytest.mark.parametrize("role", [Role.MANAGER, Role.ADJUDICATOR, Role.ANNOTATOR])
def test_nothing_is_offered_that_would_be_refused(shared_world: World, db: None, role: Role) -> None:
    """No button that writes, no form that is sent to its own address, and no link to a page that has only such a form:
    its address says why nothing can be changed."""
    client = Client()
    client.force_login(shared_world.user(role))
    offered, refused, linked = set(), set(), set()
    for line in TABLE:
        if line.method != "GET" or line.expected[ROLES.index(role)] != "200" or line.name.startswith("api_"):
            continue
        path = path_of(line, shared_world)
        answer = client.get(path)
        if answer.status_code == 409:
            assert "is archived, so it can be read but not changed." in answer.text, line.name
            refused.add(line.name)
            continue
        if answer.streaming or "text/html" not in answer.headers["Content-Type"]:
            continue
        body = answer.content.decode()
        for at, attributes in SENDS.findall(body):
            found = ACTION.search(attributes)
            if name := name_of(at or (found and found[1]) or path):
                offered.add((line.name, name))
        if line.name in READ_AS_WELL:
            assert not any('type="submit"' in form for form in OWN_FORM.findall(body)), line.name
            offered -= {(line.name, line.name), (line.name, "guideline_preview")}
        linked |= {(line.name, name) for name in map(name_of, LINK.findall(body)) if name}
    assert {(at, to) for at, to in offered if at not in SCREENS} == set()
    assert {(at, to) for at, to in linked if to in refused} == set()
    assert refused


def name_of(address: str) -> str:
    """The name of an address in a collection whose writes the archive refuses, "" for others."""
    try:
        match = resolve(unescape(address).partition("?")[0])
    except Resolver404:
        return ""
    is_taken = match.url_name in ALWAYS_OPEN or hasattr(match.func, "takes_archived")
    return "" if is_taken or "slug" not in match.kwargs else match.url_name


def test_settings_of_a_closed_campaign_neither_copy_nor_delete_it(shared_world: World, db: None) -> None:
    Campaign.objects.update(state=CampaignState.CLOSED)
    client = Client()
    client.force_login(shared_world.user(Role.MANAGER))
    page = client.get(reverse("campaign_edit", args=[shared_world.collection.slug, shared_world.campaign.slug])).text
    assert "nothing can be changed." in page
    assert not re.search("Reopen it first|Copy the campaign|Delete the campaign", page)
