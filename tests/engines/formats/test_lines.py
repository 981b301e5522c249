import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.lines import read_chunks, read_lines
from engines.formats.records import BrokenFile
from tests.engines.formats.reading import stream

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r\n\ufeff"))


@given(st.lists(texts), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_read_lines_gives_back_lines(lines: list[str], end: str, mark: bool) -> None:
    content = ("\ufeff" if mark else "") + "".join(line + end for line in lines)
    assert list(read_lines(stream(content), "f")) == list(enumerate(lines, 1))


def test_only_line_feeds_end_lines() -> None:
    assert list(read_lines(stream("a\u2028b\x85c\x0bd\ne"), "f")) == [(1, "a\u2028b\x85c\x0bd"), (2, "e")]


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff")), st.integers(1, 7))
def test_read_chunks_joins_to_the_text_whatever_the_chunk(text: str, size: int) -> None:
    expected = text.replace("\r\n", "\n").replace("\r", "\n")
    assert "".join(read_chunks(stream(text), "f", size=size)) == expected


def test_read_chunks_drops_a_byte_order_mark() -> None:
    assert "".join(read_chunks(stream("\ufeffa"), "f")) == "a"


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        (b"a\nb\0c\n", 2, "NUL byte"),
        (b"a\nb\n\xe9t\xe9\n", 3, "0xe9 is not UTF-8"),
        (b"a\n\xc3", 2, "not UTF-8"),
        (b"\xff\xfea\0", 1, "UTF-16"),
        (b"\xfe\xff\0a", 1, "UTF-16"),
    ],
)
@pytest.mark.parametrize("reader", [read_lines, read_chunks])
def test_what_is_not_text_is_broken(reader, content: bytes, line: int, reason: str) -> None:
    with pytest.raises(BrokenFile, match=reason) as caught:
        list(reader(stream(content), "name"))
    assert (caught.value.file, caught.value.line) == ("name", line)
    assert str(caught.value).startswith(f"name, line {line}: ")


def test_a_line_beyond_measure_is_broken_before_it_is_in_memory() -> None:
    class Endless(type(stream(""))):  # type: ignore[misc]
        asked = 0

        def readline(self, size: int = -1) -> bytes:
            self.asked = max(self.asked, size)
            return b"x" * size

    source = Endless()
    with pytest.raises(BrokenFile, match="longer than 1 MB"):
        list(read_lines(source, "f", max_bytes=1 << 20))
    assert source.asked == (1 << 20) + 1


def test_undecodable_bytes_in_a_later_chunk_name_their_line() -> None:
    with pytest.raises(BrokenFile) as caught:
        list(read_chunks(stream(b"a\n" * 100 + b"\xff"), "f", size=16))
    assert caught.value.line == 101
