"""Each form of those who have no choice of language, filled in wrongly in each of its fields: what it answers is
translated, and its German is not that of friends."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.conf import settings
from django.utils import translation

from accounts.models import User
from annotation.models import Campaign, Criterion
from config.languages import TRANSLATED
from corpus.models import Collection, Paper
from tests.access_table import ROLES, TABLE, Row
from tests.access_walk import ask, body_of, path_of, session_of
from tests.access_world import World, make_world
from tests.literals import Literals, german_is_marked, reasons

FIELD = re.compile(r'<(?:input|textarea|select)\b[^>]*?\bname="([^"]+)"', re.S)
WRONG = ("", "no such value", "x" * 20_001)
WRONG_JSON = (None, -1, "no such value", "x" * 20_001, [], {})
LETS_IN = {"200", "ok", "form", "422", "gone"}
FRIENDLY = re.compile(r"\b(du|dir|dich|dein\w*|bitte (gib|versuche|habe|wähle|melde))\b", re.I)


@pytest.fixture(scope="module")
def world(module_db: None) -> World:
    return make_world()


def role_of(line: Row) -> str:
    """The first role that may do this, annotators before all others."""
    order = ("annotator", *ROLES)
    return next((role for role in order if line.expected[ROLES.index(role)] in LETS_IN), "annotator")


def filled_wrongly(line: Row, world: World, page: str) -> Iterator[Row]:
    if line.json is not None:
        right = line.json(world)
        for key in right:
            for value in WRONG_JSON:
                yield replace(line, json=lambda _, key=key, value=value: {**right, key: value})
        return
    right = line.data(world)
    for name in {*FIELD.findall(page), *right} - {"csrfmiddlewaretoken"}:
        for value in WRONG:
            yield replace(line, data=lambda _, name=name, value=value: {**right, name: value})


def test_forms_that_are_filled_in_wrongly_say_why_in_the_language_of_the_reader(world: World, db: None) -> None:
    known = {"It is about tea.", settings.TIME_ZONE, *dict(settings.LANGUAGES).values()}
    known |= {*Paper.objects.values_list("title", flat=True), "no such value"}
    known |= {str(each) for model in (User, Collection, Campaign, Criterion) for each in model.objects.all()}
    known |= {user.get_short_name() for user in User.objects.all()}
    sessions: dict[str, str | None] = {
        role: None if world.user(role) is None else session_of(world.user(role)) for role in ROLES
    }
    found: dict[str, str] = {}
    sent = 0
    with german_is_marked() as said:
        for line in (each for each in TABLE if each.name in TRANSLATED and each.method == "POST"):
            role, path = role_of(line), path_of(line, world)
            german = replace(line, headers={**line.headers, "accept-language": "de"})
            answer = ask(german, world, sessions[role], path)
            for wrong in (german, *filled_wrongly(german, world, body_of(answer))):
                answer = ask(wrong, world, sessions[role], path)
                sent += 1
                for text in texts(answer):
                    found |= dict.fromkeys(Literals(text, known).found, f"{line.name} {role} {answer.status_code}")
    assert sent > 1
    print(sent)
    assert not found, "\n".join(f"{text} || {where}" for text, where in found.items())
    with translation.override("de"):
        german = {each: translation.gettext(each) for each in said}
    assert {k:v for k,v in german.items() if FRIENDLY.search(v)} == {}
    assert not [each for each in said if german[each] == each and re.search("[a-z]{3}", each)]


def texts(answer: Any) -> list[str]:
    kind = answer.headers.get("Content-Type", "")
    if "json" in kind:
        return list(reasons(json.loads(body_of(answer))))
    return [body_of(answer)] if "text/html" in kind else []
