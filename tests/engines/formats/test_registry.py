"""Every format and every importer says what it must; other packages bring formats, and may go again."""

import io
from importlib.metadata import EntryPoint

import pytest

from engines import plugins
from engines.formats.layouts import Layout
from engines.formats.reading import read_topics
from engines.formats.records import AspectRecord, DocumentRecord, TopicRecord
from engines.formats.registry import (
    AUTO,
    GROUP,
    Certainty,
    Format,
    Shape,
    detect,
    format_label,
    format_names,
    formats,
    labels_for,
)
from tests.engines.formats.reading import said_nothing

COMPANIONS = {"paper-order", "reference-notes"}  # read with papers


@pytest.mark.parametrize("name", formats())
def test_a_format_is_detected_and_reads_what_its_shapes_carry(name: str) -> None:
    each = formats()[name]
    assert each.label
    assert each.help.endswith(".")
    assert each.shapes
    carried = {what for shape in each.shapes for what in shape.carries}
    assert set(each.reads) <= carried
    assert carried - set(each.reads) <= ({"papers"} if COMPANIONS & set(each.reads) else set())


DOCUMENT = DocumentRecord("d1", "On tea", "Tea is old.", (), (), "", None, "", "", {}, "f", 1)
TOPIC = TopicRecord("1", "", "I need tea.", "", "complex-query", "", ("I need tea.",), (AspectRecord("Tea"),), "f", 1)
WRITTEN = {"documents": [DOCUMENT], "topics": [TOPIC]}


@pytest.mark.parametrize(
    ("name", "carried"), [(each.name, what) for each in formats().values() for what in each.writes if what in WRITTEN]
)
def test_a_format_detects_and_reads_what_it_writes(name: str, carried: str) -> None:
    each = formats()[name]
    content = "".join(each.writes[carried](WRITTEN[carried])).encode()
    found, shape = detect(content, "f", carried)
    assert (found.name, carried in shape.carries) == (name, True)
    (record,) = found.reads[carried](io.BufferedReader(io.BytesIO(content)), "f")
    texts = ("docno", "title", "abstract") if carried == "documents" else ("number", "text")
    assert [getattr(record, text) for text in texts] == [getattr(WRITTEN[carried][0], text) for text in texts]


def _read_words(stream, file):
    for line, text in enumerate(stream, 1):
        yield TopicRecord(str(line), "", text.decode().strip(), "", "question", "", (), (), file, line)


WORDS = Format(
    name="words",
    label="Plain words",
    help="A question a line, after a line of three dots.",
    reads={"topics": _read_words},
    shapes=(Shape("words", ("topics",), lambda head: head.text.startswith("..."), Certainty.SURE),),
    layouts={"topics": Layout(note="A question is a line of plain words.")},
)


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch):
    """A package that brings a format is installed."""
    points = [EntryPoint("words", f"{__name__}:WORDS", GROUP), EntryPoint("broken", "no_such_package:FORMAT", GROUP)]
    monkeypatch.setattr(plugins, "entry_points", lambda group: points if group == GROUP else [])
    formats().reload()
    yield
    monkeypatch.undo()
    formats().reload()


def test_another_package_brings_a_format(words, tmp_path) -> None:
    assert format_names("topics")[-1] == "words"
    assert labels_for("topics").endswith(" or Plain words")
    (tmp_path / "a.txt").write_text("...\nWhich tea?\n")
    for choice in (AUTO, "words"):
        assert [topic.text for topic in said_nothing(read_topics(tmp_path / "a.txt", choice))] == [
            "...",
            "Which tea?",
        ]
    assert [broken.name for broken in formats().broken] == ["broken"]


def test_a_format_whose_package_is_gone_keeps_its_name() -> None:
    assert format_label("words") == "words (not installed)"
    with pytest.raises(ValueError, match="unknown format 'words'"):
        list(read_topics("x", "words"))
