import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.text.latex import decode_accents


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"M\"{u}ller", "Müller"),
        (r"Garc\'{\i}a", "García"),
        (r"na\"{\i}ve na\"\i ve", "naïve naïve"),
        (r"\'e \`a \^o \~n \"u", "é à ô ñ ü"),
        (r"{\'e} {\'{e}} {\v{s}}", "é é š"),
        (r"\c{c}\v{s}\r{a}\u{g}\H{o}\k{a}\={a}\.{z}", "çšåğőąāż"),
        (r"\v c\c s", "čş"),
        (r"\o{}\O{}\ae{}\AE{}\l{}\L{}\ss{}\dh{}\DH{}\th{}\TH{}\i{}\oe{}\aa{}\AA{}", "øØæÆłŁßðÐþÞıœåÅ"),
        (r"{\o}re {\ss} \aa ngstrom Stra\ss e", "øre ß ångstrom Straße"),
        (r"2 \texttimes{} 3", "2 × 3"),
        (r"\'{E}cole, \r{A}rhus, \={U}", "École, Århus, Ū"),
        (r"\~{O}(n)", "Õ(n)"),
        (r"\d{a}\b{d}", "ạḏ"),
    ],
)
def test_accents_become_characters(written: str, read: str) -> None:
    assert decode_accents(written) == read


@pytest.mark.parametrize(
    "text",
    [
        r"50% of $20, A & B, C#, snake_case, ~ and x^2",
        r"50\% \& \_ \# \$",
        r"\alpha \log \epsilon \law \frac{1}{2} \mathbb{R} \tilde{O} \cos \vec{x} \in",
        r"C:\new\table \d+ \bword\b a\\b",
        r"\"quoted words\" and \"others\"",
        r"\'",
        "\\",
        r"\v{} \c{} \'{}",
        r"\'{ab}",
    ],
)
def test_nothing_else_is_taken_for_latex(text: str) -> None:
    assert decode_accents(text) == text


@given(st.text().filter(lambda text: "\\" not in text))
def test_texts_without_backslash_are_left_alone(text: str) -> None:
    assert decode_accents(text) == text


@given(st.text(st.sampled_from(list("\\'\"`^~=.vcurHkbdijoOlLsae{} %"))))
def test_decoding_never_fails_and_never_takes_percent_signs_away(text: str) -> None:
    assert decode_accents(text).count("%") == text.count("%")
