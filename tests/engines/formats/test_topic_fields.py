"""Topics from named fields: what is read quickly is what is read with care."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engines.formats.json_fields import FieldError
from engines.formats.records import TopicRecord
from engines.formats.topic_fields import topic_from

NAMES = ("number", "qid", "_id", "topic", "query", "question", "text", "title", "EN-title", "narrative", "narr", "lang")
VALUES = ("", " ", "7", "a b", "ä", "x" * 101, None, 3, ["a", "b"], {"a": 1})


def read(fields: dict[str, Any], **known: Any) -> TopicRecord | str:
    try:
        return topic_from(fields, "f", 1, **known)
    except FieldError as error:
        return str(error)


@given(st.dictionaries(st.sampled_from(NAMES), st.sampled_from(VALUES) | st.sampled_from(("7", "a b"))))
def test_plain_fields_are_read_as_all_others_are(fields: dict[str, Any]) -> None:
    quick, careful = read(dict(fields)), read(dict(fields), kind="")  # an argument of its own takes the long way
    assert quick == careful
    if isinstance(quick, TopicRecord) and isinstance(careful, TopicRecord):
        assert (quick.text_from, quick.title_from) == (careful.text_from, careful.title_from)
