"""Every address × every role, by the table in tests/access_table.py; and that outsiders learn nothing."""

import json
import re
from dataclasses import replace
from datetime import timedelta
from html import unescape
from itertools import cycle
from urllib.parse import parse_qs, urlsplit

import pytest
from django.conf import settings
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils import timezone

from accounts.caches import volatile
from accounts.job_kinds import job_kinds
from accounts.jobs import fragment_context
from accounts.models import ApiToken, JobState, TokenScope, User
from accounts.refusals import NotAllowed
from accounts.slots import tabs, tabs_for
from annotation.models import Audience, Campaign, CampaignState, Criterion
from config.languages import TRANSLATED
from corpus.collections.rules import can_oversee
from corpus.models import Collection, Paper, Role
from tests.access_explained import EXPLAINED, EXPLAINED_BY_ROW, WITHOUT_JUDGED_PAIRS
from tests.access_secrets import SECRETS, another_asks, name_the_machine
from tests.access_table import ROLES, TABLE, Row
from tests.access_walk import (
    ADDRESSES,
    CLIENT,
    SCOPES,
    Walk,
    ask,
    body_of,
    path_of,
    scope_of,
    session_of,
    word_for,
    written,
)
from tests.access_world import World, make_world
from tests.corpus.collections.test_palette import WORDS
from tests.factories.accounts import AT, make_token
from tests.literals import Literals, german_is_marked, reasons


@pytest.fixture(scope="module")
def shared_world(module_db: None) -> World:
    world = make_world()
    name_the_machine(world)
    another_asks(world, Audience.ASKER)
    for line in TABLE:
        path_of(line, world)  # what it makes is there for all tests, and for the links of all pages
    return world


@pytest.fixture
def world(shared_world: World, db: None) -> World:
    """One of everything; what a test writes is taken back."""
    return shared_world


@pytest.fixture(scope="module")
def sessions(shared_world: World) -> dict[str, str]:
    """A session of each role that has an account: to sign in costs more than most answers."""
    return {role: session_of(user) for role in ROLES if (user := shared_world.user(role)) is not None}


@pytest.fixture(scope="module")
def keys(shared_world: World) -> dict[tuple[str, str], str]:
    """A key of each role with an account, for each scope."""
    people = {role: user for role in ROLES if (user := shared_world.user(role)) is not None}
    made = {(role, scope): make_token(user, TokenScope(scope))[1] for role, user in people.items() for scope in SCOPES}
    # Or each request would write that it is used, if the walk takes more than a minute.
    ApiToken.objects.update(last_used_at=timezone.now() + timedelta(days=1))
    return made


@pytest.fixture(scope="module")
def kept_walk(shared_world: World, sessions: dict[str, str], keys: dict[tuple[str, str], str]) -> Walk:
    return Walk(shared_world, sessions, keys)


@pytest.fixture
def walk(kept_walk: Walk, world: World) -> Walk:
    """For tests that change nothing in the world."""
    return kept_walk


def test_every_address_has_a_line_and_every_line_an_address() -> None:
    assert {line.name for line in TABLE} == set(ADDRESSES)


def leads_to_a_collection(line: Row) -> bool:
    return line.name in ADDRESSES and "slug" in ADDRESSES[line.name].pattern.regex.groupindex


# What a browser may keep, if it asks each time whether it may still be shown. Nothing else is kept.
ASKED_FOR = {"extraction_page": "private, no-cache", "paper_page": "private, no-cache", "label_worker": "no-cache"}


ROOMS: dict[str, list[Row]] = {}
for each in TABLE:
    ROOMS.setdefault(".".join(ADDRESSES[each.name].callback.__module__.split(".")[:2]), []).append(each)


@pytest.mark.slow
@pytest.mark.parametrize("room", ROOMS)
def test_each_role_gets_what_the_table_says_and_no_secret(room: str, walk: Walk) -> None:
    """And outsiders cannot distinguish a collection from none. At the API by a key of the scope that it needs."""
    wrong = {}
    for line in ROOMS[room]:
        volatile.clear()
        if faults := [fault for role in ROLES for fault in faults_for(line, role, walk)] + faults_of_head(line, walk):
            wrong[line.name, line.method, path_of(line, walk.world)] = faults
    assert wrong == {}


def faults_for(line: Row, role: str, walk: Walk) -> list[tuple[str, object]]:
    answer, expected = walk.ask(line, role), line.expected[ROLES.index(role)]
    text = f"{body_of(answer)} {list(answer.items())}".lower()
    faults: list[tuple[str, object]] = [(role, secret) for secret in SECRETS[role] if secret.lower() in text]
    if (got := word_for(answer, expected)) != expected:
        faults.append((role, got))
    if "this token has the scope" in text:
        faults.append((role, "the scope of its token"))
    kept = answer.get("Cache-Control", "")
    if "no-store" not in kept and not (answer.status_code == 200 and kept == ASKED_FOR.get(line.name)):
        faults.append((role, kept))
    if role == "outsider" and leads_to_a_collection(line):
        none = walk.send(line, role, path_of(line, walk.world, slug="nothing"))
        if not (answer.status_code == none.status_code == 404):
            faults.append((role, none.status_code))
        elif _without_address(answer, walk.world.collection.slug) != _without_address(none, "nothing"):
            faults.append((role, "not as for a collection that is none"))
    return faults


TAKES_MORE = {line.name for line in TABLE if line.method != "GET"}


def faults_of_head(line: Row, walk: Walk) -> list[tuple[str, object]]:
    """HEAD is refused to whom GET is refused, as the length of an answer reveals what is in it; and it writes nothing:
    a program that only looks whether a page is there takes no item and begins no visit.

    Asked where GET writes, or where the address takes something else as well. The pages of one's account are
    allauth's, which counts every request for its limits.
    """
    if line.method != "GET":
        return []
    got, path = dict(zip(ROLES, line.expected, strict=True)), path_of(line, walk.world)

    def status(role: str) -> int:
        return ask(replace(line, method="HEAD"), walk.world, walk.sessions[role], path).status_code

    refused = [role for role in ROLES if got[role] == "403"][-1:]  # who may do most of those
    faults: list[tuple[str, object]] = [("HEAD", role) for role in refused if status(role) not in (403, 405)]
    reader = next((role for role in ("annotator", "manager") if got[role] == "200"), None)
    if reader is None or line.name.startswith("account_"):
        return faults
    if line.name in TAKES_MORE or walk.wrote[id(line), reader]:
        with written() as statements:
            answer = status(reader)
        if answer not in (200, 405) or statements:
            faults.append(("HEAD", (reader, answer, statements)))
    return faults


@pytest.mark.slow
def test_annotators_with_nothing_left_to_judge_are_let_in_no_further(walk: Walk) -> None:
    """While somebody has items to judge, many pages are refused to them by another rule, whatever their role."""
    Campaign.objects.update(state=CampaignState.CLOSED, closed_at=AT)
    refused = [line for line in TABLE if line.expected[ROLES.index("annotator")] == "403"]
    got = {(line.name, line.method): walk.send(line, "annotator", path_of(line, walk.world)) for line in refused}
    assert {line: answer.status_code for line, answer in got.items() if answer.status_code != 403} == {}


def test_the_collection_that_is_none_is_none(world: World) -> None:
    """What outsiders get of it is compared with what they get of a real one."""
    assert not Collection.objects.filter(slug="nothing").exists()


OF_JOBS = [line for line in TABLE if line.name.startswith("job_")]


@pytest.mark.parametrize("line", OF_JOBS, ids=lambda line: f"{line.name}-{line.method}")
def test_outsiders_cannot_distinguish_a_job_from_none(line: Row, world: World, sessions: dict[str, str]) -> None:
    kind, real = line.where(world)["kind"], ask(line, world, sessions["outsider"], path_of(line, world))
    none = ask(line, world, sessions["outsider"], reverse(line.name, args=[kind, 999_999_999]))
    assert (real.status_code, none.status_code) == (404, 404)
    job = line.where(world)["pk"]
    assert _without_address(real, str(job)) == _without_address(none, "999999999")


STARTED_BY_NOBODY = {"indexing", "deletions", "erasures"}  # they start themselves, or once


@pytest.mark.parametrize("line", [line for line in OF_JOBS if line.method == "GET"], ids=lambda line: line.name)
def test_a_failed_job_leads_to_where_it_is_started_again(line: Row, walk: Walk) -> None:
    """Only those who may open that page."""
    where = line.where(walk.world)
    kind = job_kinds()[where["kind"]]
    offered = set()
    for role, member in walk.world.members.items():
        try:
            job, seen = kind.fetch(where["pk"], member.user)
        except (Http404, NotAllowed):
            continue
        job.state, job.reason = JobState.FAILED, "why"
        if address := fragment_context(job, seen)["retry_url"]:
            offered.add(role)
            assert walk.status(address, role) == 200, role
    assert (Role.MANAGER in offered) == (kind.key not in STARTED_BY_NOBODY)
    assert offered <= {Role.MANAGER, Role.ADJUDICATOR}


def _without_address(answer: HttpResponse, slug: str) -> str:
    """The body without what differs by chance (the CSRF token) or by the address itself."""
    body = re.sub(r'(csrfmiddlewaretoken" value=|x-csrftoken": )"[^"]*"', "", answer.content.decode())
    return body.replace(f"/{slug}/", "/…/")


OF_THE_API = [line for line in TABLE if line.name.startswith("api_")]


@pytest.mark.slow
def test_tokens_are_let_in_by_their_scope(world: World, keys: dict[tuple[str, str], str]) -> None:
    """What the widest scope covers is answered as by the scope that is needed, with which the walk asks for all roles;
    what a narrower one does not cover is 403, whatever exists."""
    for line in OF_THE_API:
        path, needed, expected = path_of(line, world), scope_of(line), line.expected[ROLES.index("manager")]
        if needed != SCOPES[-1]:
            answer = ask(line, world, None, path, keys["manager", SCOPES[-1]])
            assert word_for(answer, expected) == expected, line.name
            assert answer.streaming or "This token has the scope" not in answer.text, line.name
        for scope in SCOPES[: SCOPES.index(needed)]:
            answer = ask(line, world, None, path, keys["manager", scope])
            assert answer.status_code == 403, (line.name, scope)
            assert f"has the scope “{scope}”, but “{needed}” is required" in answer.json()["detail"], line.name


@pytest.mark.slow
def test_ended_tokens_are_let_in_nowhere(world: World, keys: dict[tuple[str, str], str]) -> None:
    """By turns one that was revoked and one that has expired."""
    ApiToken.objects.filter(scope="manage").update(revoked_at=AT)
    ApiToken.objects.filter(scope="read").update(created_at=AT, expires_at=AT + timedelta(days=1))
    for line, scope in zip(OF_THE_API, cycle(("manage", "read"))):
        assert ask(line, world, None, path_of(line, world), keys["manager", scope]).status_code == 401, line.name


@pytest.mark.slow
@pytest.mark.parametrize("bar", ["collection", "campaign", "questions"])
@pytest.mark.parametrize("role", Role)
def test_a_role_sees_the_tabs_of_the_pages_that_it_may_open(walk: Walk, role: Role, bar: str) -> None:
    """No tab leads to a refusal, and no page that a role may open lacks its tab."""
    world = walk.world
    membership = world.members[role]
    if bar == "questions" and not can_oversee(membership):
        return  # its pages are below a tab that annotators do not see
    where = [world.collection.slug, world.campaign.slug] if bar == "campaign" else [world.collection.slug]
    possible = [tab for tab in tabs(bar) if tab.applies(world.campaign)]
    opened = [tab.key for tab in possible if walk.status(tab.href(*where), role) == 200]
    shown = [tab.key for tab in tabs_for(bar, role, world.campaign)]
    # An annotator's own part of a campaign has the address of its progress.
    assert shown == [key for key in opened if not (bar == "campaign" and role == Role.ANNOTATOR and key == "progress")]


@pytest.mark.slow
@pytest.mark.parametrize("role", ["outsider", *Role])
def test_the_palette_leads_only_to_pages_that_open(walk: Walk, role: str) -> None:
    """Each link opens for the role that it is offered to; an outsider gets none of the collection."""
    world = walk.world
    CLIENT.cookies[settings.SESSION_COOKIE_NAME] = walk.sessions[role]
    home = reverse("collection_dashboard", args=[world.collection.slug])
    names = (world.campaign.name, world.topic.number, world.document.docno, world.members[Role.MANAGER].user.email)
    inside, found = f"{home}campaigns/{world.campaign.slug}/", set()
    typed = [(text, at) for at in ("/", home, inside) for text in ("", "e", "an", *names)]
    for text, at in [*typed, *((word, inside) for word in (*WORDS, "new", "import", "label", "judge"))]:
        page = CLIENT.get(reverse("palette"), {"q": text, "at": at}, headers={"HX-Request": "true"})
        assert page.status_code == 200
        found |= {unescape(link) for link in re.findall(r'href="([^"#]+)', page.content.decode())}
    assert {link: walk.status(link, role) for link in found} == dict.fromkeys(found, 200)
    assert any(link.startswith(home) for link in found) == (role != "outsider")


@pytest.mark.slow
def test_every_page_of_results_leads_to_why_each_value_is_what_it_is(walk: Walk) -> None:
    seen, wrong = set(), []
    why = reverse("line_detail", args=[walk.world.collection.slug])
    for line in TABLE:
        is_ours = ADDRESSES[line.name].callback.__module__.startswith("adjudication.")
        if line.method != "GET" or line.expected[-1] not in ("200", "form") or line.name.startswith("api_"):
            continue
        if not is_ours and line.name not in EXPLAINED:
            continue
        page = walk.page(line, "manager")
        if 'id="content"' not in page:
            continue  # files, and fragments of pages
        seen.add(line.name)
        main = page.partition('id="content"')[2]
        if (f'href="{why}' in main) != (line.name in EXPLAINED):
            wrong.append(line.name)
    assert wrong == []
    assert seen == EXPLAINED | EXPLAINED_BY_ROW | WITHOUT_JUDGED_PAIRS.keys()


@pytest.mark.slow
@pytest.mark.parametrize("role", [Role.ANNOTATOR, Role.VIEWER, Role.MANAGER])
def test_no_page_links_to_one_that_is_not_there(walk: Walk, role: Role) -> None:
    """Links of the pages that a role may open; of those that differ in values of their query alone, one."""
    found: dict[tuple[str, ...], tuple[str, str]] = {}
    for line in TABLE:
        if line.method != "GET" or line.expected[ROLES.index(role)] != "200" or line.name.startswith("api_"):
            continue
        for href in re.findall(r'href="(/[^"#]*)', walk.page(line, role)):
            link = urlsplit(unescape(href))
            found.setdefault((link.path, *sorted(parse_qs(link.query))), (line.name, unescape(href)))
    answers = {(name, href): walk.status(href, role) for name, href in found.values() if "/static/" not in href}
    assert len(answers) > 20
    wrong = {at: status for at, status in answers.items() if status not in (200, 302)}
    assert wrong == {}


def speakers(line: Row) -> set[str]:
    """Each role that is shown something, and of those who are refused or led on in the same way one."""
    words = dict(zip(ROLES, line.expected, strict=True))
    shown = {role for role, word in words.items() if word in ("200", "ok", "form", "422")}
    return shown | set({word: role for role, word in words.items() if role not in shown}.values())


def test_pages_of_those_who_have_no_choice_of_language_hold_no_text_that_is_not_translated(walk: Walk) -> None:
    """In a language of marks every text stands in marks, but for what people wrote, on each page and refusal."""
    known = {
        "It is about tea.",
        settings.TIME_ZONE,
        *dict(settings.LANGUAGES).values(),
        *Paper.objects.values_list("title", flat=True),
    }
    known |= {str(each) for model in (User, Collection, Campaign, Criterion) for each in model.objects.all()}
    known |= {user.get_short_name() for user in User.objects.all()}
    found: dict[str, str] = {}
    seen = set()
    with german_is_marked():
        for line in (each for each in TABLE if each.name in TRANSLATED):
            german = replace(line, headers={**line.headers, "accept-language": "de"})
            for role in speakers(line):
                answer = walk.send(german, role, path_of(line, walk.world))
                kind, where = answer.headers.get("Content-Type", ""), f"{line.name} {line.method} {role}"
                if "text/html" in kind:
                    seen.add(line.name)
                    found |= dict.fromkeys(Literals(body_of(answer), known).found, where)
                elif "json" in kind:
                    for reason in reasons(json.loads(body_of(answer))):
                        seen.add(line.name)
                        found |= dict.fromkeys(Literals(reason, known).found, where)
    assert {"labelling_screen", "extraction_detail", "author_answer", "invitation_accept", "account_login"} <= seen
    assert {"submission_create", "label_questions", "extraction_save"} <= seen
    assert not found, "\n".join(f"{k} || {v}" for k, v in found.items())
