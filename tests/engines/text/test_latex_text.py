import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.text.latex_text import read_latex, strip_braces, typography, unshield, without_outer_braces


def read(text: str) -> str:
    return unshield(strip_braces(without_outer_braces(read_latex(text))))


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        (r"\emph{a {\bf b}} {\it c} \textsc{D} {\small\itshape e}", "a b c D e"),
        (r"\%\&\_\#\$ a\,b a\-b\/c", "%&_#$ a b abc"),
        (r"{\textquotedblleft}a{\textquotedblright} {\textless}\textendash{}\ldots", "“a” <–…"),
        (r"\{0, 1\} \textbackslash n \textbraceleft", r"{0, 1} \n {"),
        (r"\enquote{a} \mkbibquote{b \emph{c}}", "“a” “b c”"),
        (
            r"\href{http://x.org/a_b}{here} \href{u}{see u} \url{http://a/~b} \textcolor{red}{c}",
            "here (http://x.org/a_b) see u http://a/~b c",
        ),
        (r"\textsuperscript{9}Be, 1\textsuperscript{st} \textsubscript{2}", "⁹Be, 1st 2"),
        (r"{\noopsort{1973a}}1973 \{\vphantom\}{{II}}\vphantom\{\}", "1973 {II}"),
        (r"\protect\alpha{} x, \LaTeX{} and \TeX", "α x, LaTeX and TeX"),
        (r"\foo{bar} {\foo baz} \foo", r"\foo{bar} {\foo baz} \foo"),
        (r"a } b { c", "a } b { c"),
    ],
)
def test_commands_become_what_is_printed(written: str, read_as: str) -> None:
    assert read(written) == read_as


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        (r"$\epsilon$-search, $k$-means, {$\alpha$}", "ε-search, k-means, α"),
        (r"$O(n\log n)$ and $\mathcal{O}(n^2)$, \(x \leq y\)", "O(n log n) and O(n²), x ≤ y"),
        (r"CO$_2$, 5$^{th}$, 10$^{-9}$, 90$^\circ$, 5\({}^{\mbox{th}}\)", "CO2, 5th, 10⁻⁹, 90°, 5th"),
        (r"$x_{ij}^{n+1}$, $a_1$, $\frac{a}{b+c}$, $\bar{x}$", "x_ij^{n+1}, a_1, a/(b+c), x̄"),
        (r"$\{0,1\}^n$ and $p<0.05$", "{0,1}^n and p<0.05"),
        (r"$\foo{x}$ and $\overline{ab}$", r"$\foo{x}$ and $\overline{ab}$"),
        ("costs $5 and $10, US$5 and A$6, $ 7 $", "costs $5 and $10, US$5 and A$6, $ 7 $"),
        ("$}{$ $\\frac{a}$", "$}{$ $\\frac{a}$"),
    ],
)
def test_formulas_become_text_where_all_of_them_is_known(written: str, read_as: str) -> None:
    assert read(written) == read_as


def test_accents_upon_accents_and_of_letters_alone() -> None:
    assert read(r"Nguy{\~{\^e}}n {\=u}\.{z} Ak\c sit \'{\i} Ng{\d o}c Sch\üpf") == "Nguyễn ūż Akşit í Ngọc Schüpf"
    assert read_latex(r"a\.com \=b \c sit", careful=True) == r"a\.com \=b \c sit"


@pytest.mark.parametrize(
    ("written", "read_as", "careful"),
    [
        (
            "a --- b, 1--2, a->b, x-->y, <!-- c -->",
            "a — b, 1–2, a->b, x-->y, <!-- c -->",
            "a — b, 1–2, a->b, x-->y, <!-- c -->",
        ),
        ("--all, a-- b, well---known, ----", "–all, a– b, well—known, ----", "--all, a-- b, well—known, ----"),
        ("Vol.~3 ~10x", "Vol. 3 10x", "Vol.~3 ~10x"),
        ("``a'' f''", "“a” f”", "“a” f”"),
        ("f'' and 'a'", "f'' and 'a'", "f'' and 'a'"),
        ("http://a.org/~b--c", "http://a.org/~b--c", "http://a.org/~b--c"),
    ],
)
def test_dashes_quotes_and_ties(written: str, read_as: str, careful: str) -> None:
    assert typography(written) == read_as
    assert typography(written, careful=True) == careful


plain = st.text(st.characters(categories=["L", "Nd"]), min_size=1, max_size=6)
marked = st.recursive(
    plain,
    lambda inner: st.tuples(
        st.sampled_from(
            ["{%s}", r"\emph{%s}", r"{\it %s}", r"\textbf{%s}", r"\foo{%s}", "$%s$", "a %s b", r"\enquote{%s}"]
        ),
        inner,
    ).map(lambda pair: pair[0].replace("%s", pair[1])),
    max_leaves=6,
)


@given(st.lists(st.tuples(marked, plain), max_size=3))
def test_no_letter_is_lost_whatever_stands_around_it(parts: list[tuple[str, str]]) -> None:
    text = " ".join(f"{written} {word}" for written, word in parts)
    rest = text
    for command in (r"\emph", r"\it ", r"\textbf", r"\enquote", r"\foo"):
        rest = rest.replace(command, "")
    found = "".join(char for char in read(text).replace(r"\foo", "") if char.isalnum())
    assert found == "".join(char for char in rest if char.isalnum())


@given(st.text(st.sampled_from(list("\\{}$^_~-`' a1%&éfrac"))))
def test_no_text_makes_it_fail(text: str) -> None:
    for careful in (False, True):
        assert isinstance(read(typography(text, careful=careful)), str)


def test_many_braces_and_dollars_take_no_longer_than_they_are_long() -> None:
    for text in ("{" * 100_000, "$a" * 50_000, "{\\it " * 50_000 + "}" * 50_000, "\\emph{" * 50_000, "$^{" * 30_000):
        read(text)
