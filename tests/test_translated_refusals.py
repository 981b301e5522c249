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
from django.utils.html import strip_tags

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
ANSWERS = {"200", "ok", "form", "422"}
WORD = re.compile("[a-z]{3}")
ALIKE = {"2 relevant", "Code", "Deutsch", "Name", "Original", "Version %(version)s"}  # in English and German
FRIENDLY = re.compile(r"\b(du|dir|dich|dein\w*|bitte (gib|versuche|habe|wähle|melde))\b", re.I)


@pytest.fixture(scope="module")
def world(module_db: None) -> World:
    return make_world()


def role_of(line: Row) -> str:
    """The first role that gets an answer, annotators before all others; else one that is led on."""
    order = ("annotator", *ROLES)
    got = {role: line.expected[ROLES.index(role)] for role in order}
    return next((role for role in order if got[role] in ANSWERS), "annotator")


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
    known = {"It is about tea.", settings.TIME_ZONE, *WRONG[1:], *dict(settings.LANGUAGES).values()}
    known |= {str(each) for model in (User, Collection, Campaign, Criterion) for each in model.objects.all()}
    known |= {user.get_short_name() for user in User.objects.all()} | {*Paper.objects.values_list("title", flat=True)}
    sessions = {role: session_of(user) for role in ROLES if (user := world.user(role)) is not None}
    found: dict[str, str] = {}
    seen = set()
    with german_is_marked() as said:
        for line in (each for each in TABLE if each.name in TRANSLATED and each.method == "POST"):
            role, path = role_of(line), path_of(line, world)
            german = replace(line, headers={**line.headers, "accept-language": "de"})
            page = body_of(ask(german, world, sessions.get(role), path))
            for wrong in filled_wrongly(german, world, page):
                answer = ask(wrong, world, sessions.get(role), path)
                for text in texts(answer):
                    seen.add(line.name)
                    found |= dict.fromkeys(Literals(text, known).found, f"{line.name} {answer.status_code}")
    assert {"account_login", "account_change_password", "author_answer", "consent_give", "label_questions"} <= seen
    assert not found, "\n".join(f"{text}: {where}" for text, where in found.items())
    with translation.override("de"):
        german_of = {text: translation.gettext(text) for text in said}
    assert not [text for text in german_of.values() if FRIENDLY.search(strip_tags(text))]
    assert {text for text, german in german_of.items() if german == text and WORD.search(text)} <= ALIKE


def texts(answer: Any) -> list[str]:
    kind = answer.headers.get("Content-Type", "")
    if "json" in kind:
        # 400 is for bodies that programs alone send.
        return [] if answer.status_code == 400 else list(reasons(json.loads(body_of(answer))))
    return [body_of(answer)] if "text/html" in kind else []
