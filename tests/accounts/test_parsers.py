"""Bodies of the API that Python reads and nothing behind it can hold: 400, never 500."""

import json
from io import BytesIO

import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.exceptions import ParseError

from accounts.parsers import MOST_DEPTH, JSONParser, is_deeper
from tests.factories.accounts import UserFactory, make_token

HOSTILE = {
    "nested a hundred thousand times": b"[" * 100_000,
    "nested and closed": b"[" * 100_000 + b"]" * 100_000,
    "nested objects": b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
    "too deep by one": b"[" * (MOST_DEPTH + 1) + b"]" * (MOST_DEPTH + 1),
    "a lone surrogate": b'{"title": "\\ud800"}',
    "a lone surrogate in a name": b'{"\\uDFFF": 1}',
    "a NUL": b'{"title": "a\\u0000b"}',
    "a form feed in a name": b'[{"a\\f": 1}]',
    "surrogates in the wrong order": b'{"title": "\\udc00\\ud800"}',
    "no number": b'{"weight": NaN}',
    "infinity": b'{"weight": -Infinity}',
    "a number without end": b'{"weight": 1e999}',
    "digits without end": b'{"weight": ' + b"9" * 5_000 + b"}",
    "not UTF-8": b'{"title": "\xff"}',
    "raw surrogates": b'{"title": "\xed\xa0\x80"}',
    "no JSON": b"{title: 1}",
    "nothing but a blank": b" ",
}


def parse(body: bytes) -> object:
    return JSONParser().parse(BytesIO(body))


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_hostile_bodies_are_refused(body: bytes) -> None:
    with pytest.raises(ParseError):
        parse(body)


def test_what_is_allowed_at_the_edge() -> None:
    assert is_deeper(parse(b"[" * MOST_DEPTH + b"]" * MOST_DEPTH), MOST_DEPTH - 1)
    assert parse(b'{"title": "\\ud83d\\ude00"}') == {"title": "😀"}
    assert parse(b'{"note": "\\\\ud800"}') == {"note": "\\ud800"}


TEXT = st.text(st.characters(exclude_categories=["Cc", "Cs"], include_characters="\t\r\n\x85"))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda children: st.lists(children) | st.dictionaries(TEXT, children),
    max_leaves=20,
)


@pytest.mark.slow
@given(JSON, st.booleans())
def test_all_other_json_is_read(value: object, ascii_only: bool) -> None:
    assert parse(json.dumps(value, ensure_ascii=ascii_only).encode()) == value


@pytest.mark.django_db
@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_the_api_answers_with_a_problem(client, body: bytes) -> None:
    _, key = make_token(UserFactory())
    answer = client.post(
        reverse("api_collections"), body, content_type="application/json", headers={"authorization": f"Bearer {key}"}
    )
    assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")
    assert answer.json()["title"] == "Bad request"
