"""Signs that no file can carry become blanks, whatever they stand in, and nothing else changes."""

from xml.sax.saxutils import escape

from defusedxml.ElementTree import fromstring
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.characters import carriable, with_carriable_texts
from engines.formats.papers import FullPaper, Marker, Paragraph, Reference

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=40)


@given(ANY_TEXT)
def test_what_is_left_can_be_carried_and_nothing_moves(text: str) -> None:
    made = carriable(text)
    assert len(made) == len(text)
    assert all(new in (old, " ") for new, old in zip(made, text, strict=True))
    assert fromstring(f"<s>{escape(made, {chr(13): '&#13;'})}</s>").text or made == ""
    assert carriable(made) == made


def test_a_record_is_cleaned_in_every_depth_and_kept_where_it_is_clean() -> None:
    marker = Marker(0, 3, "[\x0b]", ("b\x01",))
    reference = Reference("b\x01", "T\x00", ("A\ufffe",), ids={"do\x02i": "10.1/\x03"}, raw="\ud800")
    paper = FullPaper(
        "p", "t", "a\nb", (), "", None, "", (Paragraph("ok", markers=(marker,)),), (reference,), {"k": ["\x0c"]}, "f", 0
    )
    made = with_carriable_texts(paper)
    assert made.paragraphs[0].markers[0] == Marker(0, 3, "[ ]", ("b ",))
    assert made.references[0] == Reference("b ", "T ", ("A ",), ids={"do i": "10.1/ "}, raw=" ")
    assert (made.abstract, made.extra) == ("a\nb", {"k": [" "]})
    assert with_carriable_texts(made) is made
