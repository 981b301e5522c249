from pathlib import Path

import pytest

from engines.formats.overview import SORTS, as_markdown, as_objects, as_text
from engines.formats.registry import formats

PAGE = Path(__file__).parents[3] / "docs" / "formats.md"


def test_the_page_of_formats_is_current() -> None:
    assert PAGE.read_text("utf-8") == as_markdown(), "run python docs/list_formats.py"


def test_every_sort_of_records_that_is_read_is_shown() -> None:
    assert set(SORTS) == {carried for each in formats().own.values() for carried in each.reads}


@pytest.mark.parametrize("name", formats().own)
def test_page_command_and_json_show_sample_and_all_fields(name: str) -> None:
    page, text, objects = as_markdown(), as_text(names=[name]), as_objects(names=[name])
    each = formats()[name]
    assert {one["records"] for one in objects} == set(each.reads)
    for layout in each.layouts.values():
        assert layout.sample.rstrip() in page
        assert all(line.strip() in text for line in layout.sample.splitlines())
        for one in layout.fields:
            assert ", ".join(f"`{written}`" for written in one.names) in page
            assert f"{', '.join(one.names)}: {one.meaning}" in text


def test_one_sort_can_be_asked_for() -> None:
    assert as_text(["runs"]).startswith("RUNS (litmus import_runs)\n\nTREC (trec)\n")
    assert {one["records"] for one in as_objects(["runs"])} == {"runs"}
