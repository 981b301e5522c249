import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.text.markup import decode_entities, fold_space, plain_text, strip_tags


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("a <i>b</i> and <EM>c</EM>", "a b and c"),
        ('N<small>IEME</small>, <scp>Sql</scp>, <u class="uu">S</u>mart', "NIEME, Sql, Smart"),
        ("10<sup>9</sup>, O(n<sup>2</sup>), 10<sup>-3</sup>", "10⁹, O(n²), 10⁻³"),
        ("1<sup>st</sup>, H<sub>2</sub>O", "1st, H2O"),
        ("<p>one</p><p>two</p>three<br>four<br/>five", " one  two three four five"),
        (
            '<inline-formula><tex-math notation="LaTeX">$\\alpha$</tex-math></inline-formula>',
            "$\\alpha$",
        ),
        ('see <a href="http://a.b/c">this</a>', "see this (http://a.b/c)"),
        ('<a href="http://a.b/">http://a.b/</a>', "http://a.b/"),
        ("<b><i>crossed</b></i>", "crossed"),
    ],
)
def test_known_pairs_go_and_their_content_stays(written: str, read: str) -> None:
    assert strip_tags(written) == read


@pytest.mark.parametrize(
    "text",
    [
        "<subject, predicate, object>",
        '<key, value="">',
        "structural tags (such as headings <h1>~</h1><h6>, paragraph <p>)",
        "x < y and y > z",
        "p <.01",
        "in the <small>NFOIL and <small>TFOIL systems",
        "a </i> b",
        "<methods",
    ],
)
def test_what_is_no_markup_stays(text: str) -> None:
    assert strip_tags(text) == text


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("AT&amp;T &lt;i&gt; &quot;x&quot;", 'AT&T <i> "x"'),
        ("&eacute;&#233;&#xe9;", "ééé"),
        ("&amp;lt;", "&lt;"),
        ("a &copy b &notit; &y; &; & AT&T", "a &copy b &notit; &y; &; & AT&T"),
        ("&#0;&#xD800;", "��"),
    ],
)
def test_entities_are_decoded_once_and_only_when_complete(written: str, read: str) -> None:
    assert decode_entities(written) == read


def test_escaped_tags_stay_visible() -> None:
    assert plain_text("the &lt;b&gt; tag is <b>bold</b>") == "the <b> tag is bold"


def test_c1_controls_are_windows_1252() -> None:
    assert plain_text("\x8aimi\x9a\x8e \x93quoted\x94 \x81") == "ŠimišŽ “quoted”"


def test_white_space_is_folded_and_the_invisible_dropped() -> None:
    assert plain_text(" a\u202fb\xa0c\n\td&nbsp;e\u2009f\u2028g \x0b") == "a b c d e f g"
    assert plain_text("in\xadfor\u200bma\ufefftion") == "information"


@given(st.text(st.characters(categories=["L", "N", "P", "Z"], exclude_characters="<>&\u200b")))
def test_words_are_never_lost(text: str) -> None:
    assert plain_text(text).split() == fold_space(text).split() == text.split()


@given(st.lists(st.sampled_from(["<i>", "</i>", "<sup>", "</sup>", "<b", ">", "word", "&amp;", "<br>", " "])))
def test_content_survives_any_muddle_of_tags(parts: list[str]) -> None:
    assert plain_text("".join(parts)).count("word") == parts.count("word")


@pytest.mark.slow
def test_hostile_muddles_end_before_the_time_limit_of_a_test() -> None:
    assert strip_tags("<i>" * 100_000 + "</b>" * 100_000).startswith("<i>")
    assert strip_tags("<" * 200_000) == "<" * 200_000
    assert strip_tags("<a " + 'x="y" ' * 100_000).startswith("<a ")
    assert strip_tags("<sup>1</sup>" * 100_000) == "¹" * 100_000
    assert decode_entities("&" * 200_000) == "&" * 200_000
