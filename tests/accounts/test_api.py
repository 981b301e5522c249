"""Every endpoint takes what it describes: anything else is named in an answer of 400, and nothing happens."""

import inspect
import re
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction
from django.http import QueryDict
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.utils import timezone
from drf_spectacular.generators import SchemaGenerator
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from accounts.api import DescribedView, check_fields, check_names, with_present_names
from accounts.models import ApiToken, TokenScope
from corpus.models import Role
from tests.access_table import TABLE, Row
from tests.access_walk import ADDRESSES, path_of
from tests.access_world import World, make_world
from tests.factories.accounts import make_token

WRITES = ("POST", "PUT", "PATCH", "DELETE")
OURS = [line for line in TABLE if line.name.startswith("api_") and line.name not in ("api_schema", "api_docs")]
OPERATIONS = {(line.name, line.method): line for line in reversed(OURS)}  # of several lines the first
# Where nobody of the world comes as far as the body: for staff, or about what it has not. The last test has them, and
# tests/test_operations.py those of endpoints.
NOT_REACHED = ("api_person_erasure", "api_endpoints", "api_endpoint")


@pytest.fixture(scope="module")
def shared_world(module_db: None) -> World:
    return make_world()


@pytest.fixture
def world(shared_world: World, db: None) -> World:
    """One of everything; what a test writes is taken back."""
    return shared_world


@pytest.fixture(scope="module")
def keys(shared_world: World) -> list[str]:
    """Of somebody who may manage, and of somebody who may judge."""
    people = [shared_world.members[role].user for role in (Role.MANAGER, Role.ANNOTATOR)]
    made = [make_token(user, TokenScope.MANAGE)[1] for user in people]
    ApiToken.objects.update(last_used_at=timezone.now())  # or each request would write that it is used
    return made


CLIENT = Client()  # of everybody, by the key: a client for each would load all middleware again


def ask(line: Row, world: World, key: str, query: str = "", **sent: Any) -> Any:
    """The answer to the manager, or to the annotator where only judges are let in; what was written is taken back."""
    with transaction.atomic():
        headers = {"authorization": f"Bearer {key}"}
        answer = CLIENT.generic(line.method, path_of(line, world) + query, headers=headers, **sent)
        transaction.set_rollback(True)
    return answer


def answers(line: Row, world: World, keys: list[str], query: str = "", **sent: Any) -> Iterator[Any]:
    for key in keys:
        answer = ask(line, world, key, query, **sent)
        if answer.status_code not in (403, 404):
            yield answer


@pytest.mark.parametrize("line", OPERATIONS.values(), ids=lambda line: f"{line.name}-{line.method}")
def test_no_operation_passes_over_a_parameter_it_does_not_have(line: Row, world: World, keys: list[str]) -> None:
    found = list(answers(line, world, keys, "?topci=3"))
    for answer in found:
        assert (answer.status_code, list(answer.json()["errors"])) == (400, ["topci"])
        assert "There is no such parameter here" in answer.text
    assert found


@pytest.mark.slow
def test_each_operation_takes_the_parameters_it_describes(world: World, keys: list[str]) -> None:
    """But exports, each of which has some of those described."""
    schema = SchemaGenerator().get_schema(public=True)["paths"]
    paths = {re.sub(r"{\w+}", "{}", path): each for path, each in schema.items()}
    asked = 0
    for (name, method), line in OPERATIONS.items():
        path = "/api/" + re.sub(r"<[\w:]+>", "{}", str(ADDRESSES[name].pattern))
        found = [each["name"] for each in paths[path][method.lower()].get("parameters", ()) if each["in"] == "query"]
        parameters = [each for each in found if each != "cursor"]  # a wrong one is 404
        if parameters and name != "api_export":
            for answer in answers(line, world, keys, "?" + "&".join(f"{each}=1" for each in parameters)):
                assert "There is no such parameter" not in str(getattr(answer, "content", "")), name
                asked += 1
    assert asked > 40


def test_a_parameter_given_twice_is_refused(world: World, keys: list[str]) -> None:
    """Else the items of one topic would be removed, of two that were asked for."""
    answer = ask(OPERATIONS["api_items", "DELETE"], world, keys[0], "?topic=1&topic=2")
    assert (answer.status_code, answer.json()["errors"]) == (400, {"topic": ["Give this parameter once."]})


@pytest.mark.slow
def test_only_lists_have_pages_and_take_no_cursor_but_their_own(world: World, keys: list[str]) -> None:
    """What is no cursor is 404, whatever it holds; a number of rows that is none is 400."""
    forged = ("p=abc", "p=", "p=1.5", "p=-1", "p=" + "9" * 30, "p=%00", "o=x", "r=x")
    cursors = ["cursor=zzz", *("cursor=" + b64encode(each.encode()).decode() for each in forged)]
    sizes = {"page_size=2": 200, "page_size=": 200, "page_size=0": 400, "page_size=x": 400, "page_size=9999": 200}
    counts = {True: 0, False: 0}
    for (name, method), line in OPERATIONS.items():
        key = next((key for key in keys if ask(line, world, key).status_code == 200), None) if method == "GET" else None
        if key is None or name == "api_export":  # which has the parameters of each export
            continue
        has_pages = "cursor" in ask(line, world, key, "?zzz=1").text
        counts[has_pages] += 1
        first = counts[True] == 1  # they are read in one place, and each list asks there
        wanted = (
            dict.fromkeys(cursors, 404) | sizes if first else {cursors[1]: 404, "page_size=2": 200, "page_size=0": 400}
        )
        wanted = wanted if has_pages else {"page_size=2": 400, cursors[1]: 400}
        assert {query: ask(line, world, key, f"?{query}").status_code for query in wanted} == wanted, name
    assert min(counts.values()) > 15


@pytest.mark.parametrize(
    ("name", "query", "reason"),
    [
        ("api_relevance", "?aspects=judgd", "“judgd” is none of every, judged."),
        ("api_paper_queue", "?state=zzz", "“zzz” is none of "),
        ("api_prompts", "?purpose=zzz", "“zzz” is none of "),
        ("api_inquiries", "?open=yes", "“yes” is none of true, false, 1, 0."),
        ("api_run_file", "?header=yes", "“yes” is none of true, false, 1, 0."),
    ],
)
def test_a_word_that_a_parameter_does_not_know_is_refused(
    world: World, keys: list[str], name: str, query: str, reason: str
) -> None:
    """Passed over, it would give all rows, or other figures."""
    line = OPERATIONS[name, "GET"]
    answer = ask(line, world, keys[0], query)
    assert (answer.status_code, reason in answer.text) == (400, True), answer.text
    assert ask(line, world, keys[0], query.partition("=")[0] + "=").status_code == 200


REACHED = [each for each in OPERATIONS.values() if each.method in WRITES and each.name not in NOT_REACHED]


@pytest.mark.parametrize("line", REACHED, ids=lambda line: f"{line.name}-{line.method}")
def test_no_operation_passes_over_a_field_it_does_not_have(line: Row, world: World, keys: list[str]) -> None:
    found = list(answers(line, world, keys, data='{"topci": 3}', content_type="application/json"))
    if any(answer.status_code == 415 for answer in found):
        form = {"data": encode_multipart(BOUNDARY, {"topci": "3"}), "content_type": MULTIPART_CONTENT}
        found = list(answers(line, world, keys, **form))
    assert found
    for answer in found:
        assert (answer.status_code, list(answer.json()["errors"])) in [(400, ["topci"]), (400, ["body"])]


def test_every_endpoint_reads_bodies_by_the_one_rule() -> None:
    for name, pattern in ADDRESSES.items():
        if name.startswith("api_") and name not in ("api_schema", "api_docs"):
            view = pattern.callback.view_class
            assert issubclass(view, DescribedView), name
            module = inspect.getsource(inspect.getmodule(view))
            assert not re.search(r"\(data=(self\.)?request\.data", module), name


class TopicSerializer(serializers.Serializer[Any]):
    number = serializers.CharField()
    made_at = serializers.DateTimeField(read_only=True)


class LooseSerializer(TopicSerializer):
    takes_more = True


class SentSerializer(serializers.Serializer[Any]):
    topics = serializers.ListField(child=TopicSerializer())
    loose = LooseSerializer(many=True, required=False)
    names = serializers.ListField(child=serializers.CharField())
    any = serializers.DictField()


def errors_of(data: Any) -> dict[str, list[str]]:
    try:
        check_fields(SentSerializer(), data)
    except ValidationError as error:
        return {name: [str(each) for each in reasons] for name, reasons in error.detail.items()}  # type: ignore[union-attr]
    return {}


def test_unknown_fields_are_named_by_their_place_with_those_there_are() -> None:
    data = {"topics": [{"number": "1"}, {"nmber": "2", "made_at": "now"}], "any": {"x": 1}, "loose": [{"x": 1}], "z": 0}
    reason = "There is no such field here. The fields are: {}."
    assert errors_of(data) == {
        "topics.1.nmber": [reason.format("number")],
        "topics.1.made_at": [reason.format("number")],
        "z": [reason.format("any, loose, names, topics")],
    }
    assert errors_of({"names[0]": "a", "csrfmiddlewaretoken": "x"}) == {}, "as forms have them"
    assert [errors_of(other) for other in ([], "x", None, {"topics": 3}, {"topics": [3]})] == [{}] * 5
    assert len(errors_of({f"x{n}": n for n in range(50)})) == 10
    assert [len(name) for name in errors_of({"x" * 5_000: 1})] == [60]


def test_unknown_parameters_are_named_with_those_there_are() -> None:
    check_names({"a": "1"}, ["a"], "parameter")
    with pytest.raises(ValidationError, match=r"There is no such parameter here\. The parameters are: a, b\."):
        check_names({"c": ""}, ["b", "a"], "parameter")
    with pytest.raises(ValidationError, match="and there are no others"):
        check_names({"c": ""}, [], "parameter")


class _Shape(serializers.Serializer[Any]):
    former = {"old": "new"}
    new = serializers.ListField(child=serializers.CharField())


def test_a_field_is_taken_under_its_former_name_with_a_notice() -> None:
    assert with_present_names({"old": ["a"]}, _Shape.former) == (
        {"new": ["a"]},
        ["old is now new; the former name works in version 0.2 only"],
    )
    assert with_present_names({"new": ["a"]}, _Shape.former) == ({"new": ["a"]}, [])
    sent, notices = with_present_names(QueryDict("old=a&old=b"), _Shape.former)
    assert (sent.getlist("new"), len(notices)) == (["a", "b"], 1)
    with pytest.raises(ValidationError, match="now called new"):
        with_present_names({"new": ["a"], "old": ["b"]}, _Shape.former)
    assert with_present_names([1], _Shape.former) == ([1], [])
