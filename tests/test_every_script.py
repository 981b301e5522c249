"""Texts of people in a script that runs from the right: on every page each has a direction of its own."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

import pytest
from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.db import connection, models

from tests.access_table import ROLES, TABLE, Row
from tests.access_walk import Walk, path_of, session_of
from tests.access_world import make_world

MARK = "שלום"  # put before every text of people; pages of an English Litmus hold it nowhere else
# Texts of Litmus itself, identifiers, and values that other programs compare. Everything else is a text of people, so
# that a new field is one of them.
NOT_OF_PEOPLE = {
    *("step", "reason", "problem", "refusal", "finish_reason", "code_version", "ci_reason", "kind", "format", "model"),
    *("number", "prefix", "source", "docno", "doi", "url", "key", "source_key", "source_id", "source_doi", "target"),
    *("digest", "sha256", "password", "actor", "verb", "scope", "target_type", "target_id", "maker", "change", "part"),
    *("manifest_sha256", "anonymous_sha256", "anonymous_token", "pseudonym_key", "address", "inputs_hash", "method"),
    *("verdicts_hash", "recipe_hash", "frozen_hash", "frozen_name", "criterion", "statistic", "block", "query", "run"),
    *("document", "held_by", "confirms", "file_name", "fingerprint", "ties", "device", "measures", "topics", "docnos"),
    *("language", "title_key", "source_title_key", "annotators", "keys", "prompt", "earlier", "corrected", "about"),
    *("order", "message", "event", "events", "payload", "sealed_secret", "sealed_former", "off_reason"),
}  # fmt: skip
# Names that take no blanks stand in file names and commands: identifiers.
NAMED = {"RetrievalRun", "RunMaking", "Release", "Split", "ImportedQrels"}
# Sentences and hints that Litmus makes of its words and the names of people: they run from the left, as English does.
OF_LITMUS = ("is the only manager", " · ", "The votes were", "agreement was computed", "of a judged topic", "of judged")
SILENT = {"script", "style", "title", "option", "textarea", "template"}  # not laid out, or checked by their attribute
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


def texts_of_people() -> Iterator[tuple[type[models.Model], models.Field]]:
    """Every stored field that holds what people wrote."""
    for label in ("accounts", "corpus", "annotation", "adjudication"):
        for model in apps.get_app_config(label).get_models():
            for each in model._meta.local_concrete_fields:
                inner = each.base_field if isinstance(each, ArrayField) else each
                if not isinstance(inner, models.CharField | models.TextField) or inner.choices or each.generated:
                    continue
                if isinstance(inner, models.SlugField | models.EmailField) or each.name in NOT_OF_PEOPLE:
                    continue
                if not (each.name == "name" and model.__name__ in NAMED):
                    yield model, each


def write_from_the_right() -> None:
    """Put MARK before every text of people that the world holds."""
    with connection.cursor() as cursor:
        for model, each in texts_of_people():
            table, column = model._meta.db_table, each.column
            if isinstance(each, ArrayField):
                value = f"(SELECT array_agg('{MARK} ' || e ORDER BY n) FROM unnest({column}) WITH ORDINALITY u(e, n))"
                cursor.execute(f"UPDATE {table} SET {column} = {value} WHERE cardinality({column}) > 0")
            else:
                cursor.execute(f"UPDATE {table} SET {column} = '{MARK} ' || {column} WHERE {column} <> ''")


@dataclass
class Element:
    tag: str
    is_own: bool  # has a direction of its own
    begins: str = ""  # its first letters


@dataclass
class Directions(HTMLParser):
    """What of a page has no direction of its own: texts of people, and fields to write in."""

    faults: list[str] = field(default_factory=list)
    seen: int = 0
    open: list[Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        is_own = found.get("dir") == "auto" or (tag == "bdi" and "dir" not in found)
        if tag == "textarea" or (tag == "input" and found.get("type", "text") in ("text", "search")):
            self.seen += 1
            if "dir" not in found:
                self.faults.append(f"<{tag} name={found.get('name')} id={found.get('id')}>")
        if tag not in VOID:
            self.open.append(Element(tag, is_own))

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop().tag != tag:
            pass

    def handle_data(self, data: str) -> None:
        letters = "".join(filter(str.isalpha, data))
        if not letters or any(each.tag in SILENT for each in self.open):
            return
        own = next((each for each in reversed(self.open) if each.is_own), None)
        if own is not None:
            own.begins = own.begins or letters[:20]
        if MARK in data and not any(words in data for words in OF_LITMUS):
            self.seen += 1
            if own is None or not (own.begins.startswith(MARK) or own.tag == "pre"):
                above = " > ".join(each.tag for each in self.open[-3:])
                self.faults.append(f"{above}: {' '.join(data.split())[:60]}")


@pytest.fixture(scope="module")
def walk(module_db: None) -> Walk:
    world = make_world()
    for line in TABLE:
        path_of(line, world)
    write_from_the_right()
    sessions = {role: session_of(user) for role in ROLES if (user := world.user(role)) is not None}
    return Walk(world, sessions, {})


def reader_of(line: Row) -> str | None:
    """The role that is shown the page, of several the one with most rights."""
    shown = dict(zip(ROLES, line.expected, strict=True))
    return next((role for role in reversed(ROLES) if shown[role] in ("200", "ok")), None)


PAGES = [line for line in TABLE if line.method == "GET" and not line.name.startswith("api_") and reader_of(line)]


def test_texts_and_fields_have_their_own_direction(walk: Walk, db: None) -> None:
    faults, seen = {}, 0
    for line in PAGES:
        role = reader_of(line)
        parser = Directions()
        parser.feed(walk.page(line, role))
        seen += parser.seen
        if parser.faults:
            faults[line.name] = list(dict.fromkeys(parser.faults))
    assert faults == {}
    assert seen > 500
