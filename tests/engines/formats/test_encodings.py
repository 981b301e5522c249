import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.encodings import ENCODINGS, as_utf8, head_as_utf8
from engines.formats.records import BrokenFile

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff\r"))
WESTERN = "Der Uhu — “naïve café” für 5 €\nNaïve owls\n"


class Slow(io.RawIOBase):
    """Gives a few bytes at a time, so that characters are cut at every place."""

    def __init__(self, data: bytes, size: int) -> None:
        self.source, self.size = io.BytesIO(data), size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:
        data = self.source.read(min(self.size, len(buffer)))
        buffer[: len(data)] = data
        return len(data)


def read(data: bytes, encoding: str = "auto", size: int = 3) -> tuple[str, str]:
    stream = as_utf8(Slow(data, size), "f", encoding)  # type: ignore[arg-type]
    text = stream.read().decode()
    return text, stream.encoding


@given(texts, st.integers(1, 9), st.sampled_from(["utf-8", "utf-8-sig"]))
def test_utf8_passes_as_it_is(text: str, size: int, codec: str) -> None:
    assert read(text.encode(codec), size=size) == (text, "UTF-8")


@given(texts.filter(bool), st.integers(1, 9), st.sampled_from(["utf-16-le", "utf-16-be"]))
def test_utf16_is_known_by_its_mark(text: str, size: int, codec: str) -> None:
    assert read(f"\ufeff{text}".encode(codec), size=size) == (text, "UTF-16")


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16_is_known_without_a_mark(codec: str) -> None:
    assert read(WESTERN.encode(codec)) == (WESTERN, "UTF-16")


@given(st.integers(1, 9), st.integers(0, 9000))
def test_western_text_is_known_however_late_its_first_letter_comes(size: int, before: int) -> None:
    text = "x" * before + WESTERN
    assert read(text.encode("cp1252"), size=size * 500) == (text, "Windows-1252 (Latin-1)")


@pytest.mark.parametrize("before", [b"", b"x\n" * 200_000])
@pytest.mark.parametrize(
    "parts", [(b"caf\xe9 \x93\n", "naïve 猫頭鷹\n".encode()), ("naïve 猫頭鷹\n".encode(), b"caf\xe9 \x93\n")]
)
def test_a_few_bytes_of_windows_1252_among_utf8_are_read_as_such_and_noted(parts: list[bytes], before: bytes) -> None:
    for between in (b"", before):  # both may come at once, or long after each other
        data = before + parts[0] + between + parts[1]
        stream = as_utf8(io.BytesIO(data), "f")
        assert stream.read() == data.replace(b"\xe9 \x93", "é “".encode())
        (note,) = stream.notes.problems("f")
        assert note.line == data[: data.index(b"\xe9 ")].count(b"\n") + 1
        assert "“é“” is not in UTF-8" in note.reason
        assert stream.encoding == "UTF-8"


def test_what_could_be_utf8_in_a_file_of_windows_1252_is_noted() -> None:
    stream = as_utf8(io.BytesIO("café\nDÉ’S\nUhu für Käuze\n".encode("cp1252")), "f")
    assert stream.read().decode() == "café\nDÉ’S\nUhu für Käuze\n"
    (note,) = stream.notes.problems("f")
    assert (note.line, note.reason) == (2, "“É’” would be “ɒ” in UTF-8; it was read as Windows-1252")
    assert stream.encoding == "Windows-1252 (Latin-1)"


@pytest.mark.parametrize(
    ("data", "line", "reason"),
    [
        ("é\n".encode() + b"x\n" * 300_000 + b"\xe9\xe9", 300_002, "more such bytes"),
        ("é é É’\n\n".encode("cp1252") + b"x\n" * 300_000 + "naïve 猫頭鷹".encode(), 300_003, "before it is not"),
        ("Тёплая сова летит ночью над лесом и слышит мышь\n".encode("cp1251") * 2, 1, "too many"),
        ("naïve".encode() + b"\n\x81", 2, "neither UTF-8 nor Windows-1252"),
    ],
)
def test_a_file_of_no_one_encoding_is_refused_by_line(data: bytes, line: int, reason: str) -> None:
    with pytest.raises(BrokenFile, match=reason) as caught:
        as_utf8(io.BytesIO(data), "f").read()
    assert caught.value.line == line


def test_a_byte_that_is_not_of_the_chosen_utf8_is_left_to_the_reader() -> None:
    data = "naïve\n".encode() + b"caf\xe9\n"
    assert as_utf8(io.BytesIO(data), "f", "utf-8").read() == data


@given(texts, st.sampled_from(sorted(ENCODINGS.keys() - {"auto", "utf-16"})))
def test_every_encoding_can_be_chosen(text: str, name: str) -> None:
    text = text.encode(name, "ignore").decode(name)
    assert read(text.encode(name), name)[0] == text


def test_a_chosen_encoding_that_does_not_fit_names_the_line() -> None:
    with pytest.raises(BrokenFile, match="byte 0x81 is not Windows-1252") as caught:
        read(b"a\nb\x81", "cp1252")
    assert caught.value.line == 2


def test_a_byte_that_windows_1252_does_not_have_is_refused() -> None:
    with pytest.raises(BrokenFile, match="choose the encoding"):
        read(b"abc\n\x81")


def test_xml_says_its_encoding() -> None:
    text = '<?xml version="1.0" encoding="ISO-8859-2"?><a>Čapek</a>'
    assert read(text.encode("iso-8859-2")) == (text, "ISO-8859-2")
    with pytest.raises(BrokenFile, match="written in klingon"):
        read(b'<?xml version="1.0" encoding="klingon"?><a/>')
    with pytest.raises(BrokenFile, match="not a text encoding"):
        read(b'<?xml version="1.0" encoding="zlib"?><a/>')


@pytest.mark.parametrize(
    "data", [b"PAR1\xff\0", b"%PDF-1.7\n\xe2", b"PK\x03\x04\xff", b"\x80\x04.", b"{}\n\0", b"abcdefgh\0\xff", b""]
)
def test_what_is_no_text_passes_as_it_is(data: bytes) -> None:
    assert as_utf8(io.BytesIO(data), "f").read() == data


@pytest.mark.parametrize("codec", ["utf-8", "utf-16", "cp1252"])
def test_the_line_ends_of_old_macs_are_line_ends(codec: str) -> None:
    stream = as_utf8(io.BytesIO(f"{'q1,höre'}\r{'x' * 100_000}\r\r".encode(codec)), "f")
    assert stream.read().decode() == f"q1,höre\n{'x' * 100_000}\n\n"
    assert stream.encoding.endswith(" with the line ends of old Macs (CR)")


@pytest.mark.parametrize("data", [b"a\rb\nc\r\n", b"a\r\n", b"a\r"])
def test_a_cr_among_other_line_ends_stays(data: bytes) -> None:
    assert as_utf8(io.BytesIO(data), "f").read() == data


def test_a_stream_is_recoded_once() -> None:
    stream = as_utf8(io.BytesIO(b"\xe9"), "f")
    assert as_utf8(stream, "f") is stream


def test_a_head_may_end_within_a_character() -> None:
    assert head_as_utf8("a€".encode()[:-1]) == b"a"
    assert head_as_utf8("aé".encode("utf-16")[:-1]) == b"a"
    assert head_as_utf8(b"caf\xe9 noir") == "café noir".encode()


@pytest.mark.parametrize("codec", ["utf-32", "utf-32-be"])
def test_utf_32_is_known_by_its_mark(codec: str) -> None:
    mark = "" if codec == "utf-32" else "\ufeff"
    stream = as_utf8(io.BytesIO(f"{mark}q1,höre".encode(codec)), "f")
    assert (stream.read().decode(), stream.encoding) == ("q1,höre", "UTF-32")
