"""What the help of formats shows: each sample can be copied into a file and read, and each named field is read."""

import io
from dataclasses import replace

import pytest

from engines.formats.layouts import Layout, optional, required
from engines.formats.records import Problem, Skip
from engines.formats.registry import Format, detect, formats

LAYOUTS = [
    pytest.param(each, carried, id=f"{each.name}-{carried}")
    for each in formats().own.values()
    for carried in each.reads
    if each.layouts[carried].sample
]
OPTIONS = {"papers": {"vocabulary": dict, "check": lambda: None}}


def read_sample(each: Format, carried: str) -> list[object]:
    data = each.layouts[carried].sample.encode()
    return list(each.reads[carried](io.BufferedReader(io.BytesIO(data)), "f", **OPTIONS.get(carried, {})))


@pytest.mark.parametrize(("each", "carried"), LAYOUTS)
def test_a_sample_is_recognised_and_read_whole(each: Format, carried: str) -> None:
    sample = each.layouts[carried].sample
    name = f"sample.{each.name}" if carried == "reference-notes" else "sample"
    wanted = "papers" if carried in ("paper-order", "reference-notes") else carried
    assert detect(sample.encode(), name, wanted)[0].name == each.name
    found = read_sample(each, carried)
    assert found
    assert not [one for one in found if isinstance(one, Problem | Skip)]


@pytest.mark.parametrize(("each", "carried"), LAYOUTS)
def test_a_sample_is_two_lines_or_one_record(each: Format, carried: str) -> None:
    assert each.layouts[carried].sample.count("\n") == 2 or len(read_sample(each, carried)) == 1


@pytest.mark.parametrize(("each", "carried"), LAYOUTS)
def test_no_name_stands_for_two_fields(each: Format, carried: str) -> None:
    names = [name for one in each.layouts[carried].fields for name in one.names]
    assert len(names) == len(set(names))


def test_a_format_without_a_layout_cannot_be_registered() -> None:
    words = formats()["jsonl"]
    with pytest.raises(ValueError, match="the format jsonl has no layout of judgments, topics"):
        replace(words, layouts={name: words.layouts[name] for name in ("documents", "mentions")})


@pytest.mark.parametrize(
    "given", [{}, {"sample": " \n", "fields": (required("a", "b"),)}, {"sample": "a\n", "fields": ()}]
)
def test_a_layout_without_sample_and_fields_says_why(given: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="a note that says why"):
        Layout(**given)
    assert Layout(note="A file of pictures.").fields == ()
    assert optional(("a", "b"), "one of two").names == ("a", "b")
