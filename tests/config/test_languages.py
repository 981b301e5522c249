"""The languages of the interface: what is translated is translated whole, and each page is in one language."""

import importlib.util
import re
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.languages import script_catalogue
from config.languages import TRANSLATED
from tests.access_walk import ADDRESSES
from tests.factories.accounts import UserFactory
from tests.processes import CHECKOUT

_spec = importlib.util.spec_from_file_location("languages_update", CHECKOUT / "languages" / "update.py")
assert _spec is not None
assert _spec.loader is not None
update: Any = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(update)

CATALOGUES = sorted((CHECKOUT / "languages").glob("*/LC_MESSAGES/*.po"))
PLACE = re.compile(r"%\(\w+\)s|\{\w+\}|<[^>]+>|^[#(]|…$")


def forms(text: str | tuple[str, ...]) -> tuple[str, ...]:
    return text if isinstance(text, tuple) else (text,)


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_a_catalogue_has_all_texts_of_the_sources_translated_and_is_compiled(path: Path) -> None:
    stored, wanted = update.catalogue(path), update.template(path.stem)
    key = lambda each: (each.context, each.id)  # noqa: E731
    assert {key(each) for each in stored} == {key(each) for each in wanted} | {(None, "")}, "run: make languages"
    for each in stored:
        assert not each.fuzzy, each.id
        for text in forms(each.string):
            assert text, f"no translation: {each.id}"
            if not isinstance(each.id, tuple) and each.id:
                assert sorted(PLACE.findall(text)) == sorted(PLACE.findall(each.id)), each.id
            elif each.id:
                assert set(PLACE.findall(text)) <= set(PLACE.findall(each.id[1])), each.id
    compiled = BytesIO()
    update.write_mo(compiled, stored)
    assert path.with_suffix(".mo").read_bytes() == compiled.getvalue(), "run: make languages"


def test_names_of_translated_pages_are_names_of_addresses() -> None:
    assert set(ADDRESSES) >= TRANSLATED


def test_scripts_have_their_words_by_english_ones() -> None:
    assert script_catalogue("en") == {}
    german = script_catalogue("de")
    assert german["Saving…"] == "Speichert …"
    assert german["{count} paper fits so far"] == ["{count} Arbeit passt bisher", "{count} Arbeiten passen bisher"]


@pytest.mark.django_db
def test_a_page_is_in_the_language_of_the_person_before_that_of_the_browser(client: Client) -> None:
    client.force_login(UserFactory(preferences={"language": "de"}))
    german = client.get(reverse("label_session"), headers={"Accept-Language": "en"})
    assert german["Content-Language"] == "de"
    english = client.get(reverse("collection_list"))
    assert '<html lang="en"' in english.text
    assert english["Content-Language"] == "en"
