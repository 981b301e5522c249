"""Made-up papers in the layouts that papers come in, as HTML for Chromium to print. All words are invented.

Their letters come from matplotlib's package, never from the machine: lines break at the same words everywhere.
"""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import matplotlib

FONT_FILES = {
    "STIX": ("STIXGeneral", "STIXGeneralBol", "STIXGeneralItalic", "STIXGeneralBolIta"),  # as wide as Times
    "DejaVu": ("DejaVuSerif", "DejaVuSerif-Bold", "DejaVuSerif-Italic", "DejaVuSerif-BoldItalic"),  # a fifth wider
}
SHAPES = ("normal normal", "normal bold", "italic normal", "italic bold")
BODY = "font: 10pt/12pt Paper; text-align: justify; hyphens: auto;"


def font_faces(family: str) -> str:
    """Return CSS that gives the family "Paper" the letters of one of FONT_FILES."""
    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    return "".join(
        f"@font-face {{ font-family: Paper; font-style: {shape.split()[0]}; font-weight: {shape.split()[1]};"
        f" src: url(data:font/ttf;base64,{b64encode((folder / f'{name}.ttf').read_bytes()).decode()}) }}"
        for name, shape in zip(FONT_FILES[family], SHAPES, strict=True)
    )


OPENING = [
    "Archives have been searched for a long time {a}. The first systems were built on cards, and the people who kept "
    "them knew each drawer {b}. {c} showed that state-of-the-art systems fail on long-tail questions, e.g., those "
    "about names. Information-seeking behaviour depends on many things, and cross-language retrieval makes it harder "
    "still for everybody who takes part in the process of searching.",
    "In our earlier work we asked twenty keepers about their habits {d}. They told us that well-known items are asked "
    "for most often. This matches what Dr. J. Garcia reported in 2021. We build on these findings, and we describe in "
    "Sec. 3 how the questionnaire was made.",
    "Our own view is simpler than that of most others. A keeper who knows the drawers is worth more than a system that "
    "knows only their labels, and a question that nobody foresaw is worth more than a hundred that everybody foresaw. "
    "We have seen this in each of the archives that we visited, large and small, old and "
    "new, in towns and in villages.",
]
RELATED = [
    "Early studies {b} describe how keepers remember. {e} counted requests over ten years, and found that most "
    "requests came from few people. Their figures were confirmed for larger archives {f}.",
    "Question answering over archives was first tried by {g}. They compare retrieval with reading. Unlike them, we ask "
    "keepers. No one has, to our knowledge, asked them before.",
]
METHOD = [
    "We sent letters to every archive on the list, and waited for answers for six weeks. Then we counted all that had "
    "come back to us during that time, which took longer than we had thought at first because of the weather.",
    "The answers were read twice, once by each of us, and sorted into heaps. Where we disagreed, a third person read "
    "the answer again and put it on the heap where it belonged in her opinion.",
] * 4
NUMBERS = {
    "a": "[2, 3]",
    "b": "[6]",
    "c": "Smith et al. [5]",
    "d": "[3–6]",
    "e": "Lee and Park [2]",
    "f": "[1], [5]",
    "g": "O’Neil et al. [3]",
}
YEARS = {
    "a": "(Lee and Park, 2018; O’Neil et al., 2020a)",
    "b": "(van der Berg, 1999)",
    "c": "Smith et al. (2019)",
    "d": "(O’Neil et al., 2020a,b; Smith et al., 2019; van der Berg, 1999)",
    "e": "Lee and Park (2018)",
    "f": "(Garcia, 2021; Smith et al., 2019, p. 4)",
    "g": "O’Neil et al. (2020a)",
}
RAISED = {
    "a": "<sup>2,3</sup>",
    "b": "<sup>6</sup>",
    "c": "Smith et al.<sup>5</sup>",
    "d": "<sup>3–6</sup>",
    "e": "Lee and Park<sup>2</sup>",
    "f": "<sup>1,5</sup>",
    "g": "O’Neil et al.<sup>3</sup>",
}
SQUARE_YEARS = {name: text.replace("(", "[").replace(")", "]") for name, text in YEARS.items()}
# What each of the citing sentences cites, in order, whatever the style.
CITED = [("2", "3"), ("6",), ("5",), ("3", "4", "5", "6"), ("6",), ("2",), ("1", "5"), ("3",)]

APA = [
    "Garcia, J. (2021). Who asks, and why? <i>Journal of Archive Studies</i>, 12(3), 44–61. "
    "https://doi.org/10.1234/jas.2021.44",
    "Lee, K., &amp; Park, S. (2018). Ten years of requests. In <i>Proceedings of the "
    "Archive Conference</i> (pp. 11–20).",
    "O’Neil, M., Chan, B., &amp; Wu, X. (2020a). Reading or retrieving: A comparison. arXiv preprint arXiv:2001.01234.",
    "O’Neil, M., Chan, B., &amp; Wu, X. (2020b). The habits of keepers. In <i>Proceedings "
    "of the Archive Conference</i> "
    "(pp. 1–10). Somewhere: Archive Press.",
    "Smith, A., Jones, B. C., &amp; Müller, A. (2019). Long-tail questions in archives. "
    "<i>Transactions on Archives</i>, "
    "7, 100–120.",
    "van der Berg, P. (1999). Cards and drawers: A history. Drawer Press.",
]
IEEE = [
    "J. Garcia, “Who asks, and why?” <i>J. Archive Stud.</i>, vol. 12, no. 3, pp. 44–61, "
    "2021, doi: 10.1234/jas.2021.44.",
    "K. Lee and S. Park, “Ten years of requests,” in <i>Proc. Archive Conf.</i>, 2018, pp. 11–20.",
    "M. O’Neil, B. Chan, and X. Wu, “Reading or retrieving: A comparison,” arXiv:2001.01234, 2020.",
    "M. O’Neil, B. Chan, and X. Wu, “The habits of keepers,” in <i>Proc. Archive Conf.</i>, 2020, pp. 1–10.",
    "A. Smith, B. C. Jones, and A. Müller, “Long-tail questions in archives,” <i>Trans. Archives</i>, vol. 7, "
    "pp. 100–120, 2019.",
    "P. van der Berg, <i>Cards and drawers: A history</i>. Drawer Press, 1999.",
]
LNCS = [
    "Garcia, J.: Who asks, and why? Journal of Archive Studies 12(3), 44–61 (2021). "
    "https://doi.org/10.1234/jas.2021.44",
    "Lee, K., Park, S.: Ten years of requests. In: Proceedings of the Archive Conference. pp. 11–20 (2018)",
    "O’Neil, M., Chan, B., Wu, X.: Reading or retrieving: A comparison. arXiv preprint arXiv:2001.01234 (2020)",
    "O’Neil, M., Chan, B., Wu, X.: The habits of keepers. In: Proceedings of the Archive Conference. pp. 1–10 (2020)",
    "Smith, A., Jones, B.C., Müller, A.: Long-tail questions in archives. Transactions on Archives 7, 100–120 (2019)",
    "van der Berg, P.: Cards and drawers: A history. Drawer Press (1999)",
]
PLAIN = [
    "Jo Garcia. Who asks, and why? <i>Journal of Archive Studies</i>, 12(3):44–61, 2021. "
    "URL https://doi.org/10.1234/jas.2021.44.",
    "Kim Lee and Sun Park. Ten years of requests. In <i>Proceedings of the Archive Conference</i>, pages 11–20, 2018.",
    "Mary O’Neil, Bo Chan, and Xi Wu. Reading or retrieving: A comparison. <i>arXiv "
    "preprint arXiv:2001.01234</i>, 2020a.",
    "Mary O’Neil, Bo Chan, and Xi Wu. The habits of keepers. In <i>Proceedings of the Archive Conference</i>, pages "
    "1–10, 2020b.",
    "Ada Smith, Ben C. Jones, and Ana Müller. Long-tail questions in archives. <i>Transactions on Archives</i>, "
    "7:100–120, 2019.",
    "Piet van der Berg. <i>Cards and drawers: A history</i>. Drawer Press, 1999.",
]
TABLE = (
    "<table><tr><th>Archive</th><th>Items</th><th>Requests</th></tr><tr><td>North</td><td>12,000</td><td>310</td></tr>"
    "<tr><td>South</td><td>8,100</td><td>92</td></tr></table>"
)


def _paragraphs(texts: list[str], marks: dict[str, str]) -> str:
    return "".join(f"<p>{text.format(**marks).replace(' <sup>', '<sup>')}</p>" for text in texts)


def _page(style: str, body: str) -> str:
    return f"<!doctype html><html lang=en><meta charset=utf-8><style>{style}</style><body>{body}</body></html>"


def two_columns_years() -> str:
    """Two columns, names and years, numbered headings, a table with its caption, a footnote, running heads."""
    style = (
        f"@page {{ size: Letter; margin: 0.9in 0.8in }} body {{ {BODY} }} h1 {{ text-align: center; font-size: 17pt }}"
        ".c { column-count: 2; column-gap: 0.25in; column-fill: auto } h2 { font-size: 12pt; margin: 8pt 0 4pt }"
        "h3 { font-size: 10pt; margin: 6pt 0 3pt } p { margin: 0; text-indent: 1em } h2 + p, h3 + p { text-indent: 0 }"
        "table { font-size: 9pt; margin: 6pt auto 2pt } td, th { padding: 1pt 9pt } "
        ".cap { font-size: 9pt; text-indent: 0; margin-bottom: 8pt }"
        ".r { font-size: 9pt; line-height: 10.5pt; text-indent: -1em; padding-left: 1em } "
        ".f { font-size: 7.5pt; line-height: 9pt; text-indent: 0 }"
    )
    opening = [*OPENING]
    opening[0] = opening[0].replace("on cards", "on cards<sup style='font-size:6.5pt;line-height:0'>1</sup>")
    body = (
        "<h1>Asking Better Questions of Small Archives</h1><p style='text-align:center'>Ana Müller and Bo van Dijk<br>"
        "University of Somewhere</p><div class=c><h2>Abstract</h2><p>We look at how archives answer questions that "
        "their keepers never thought of. We find that small archives answer better.</p><h2>1 Introduction</h2>"
        f"{_paragraphs(opening, YEARS)}<p class=f>1 Cards of stiff paper, in drawers.</p><h2>2 Related Work</h2>"
        f"<h3>2.1 Searching archives</h3>{_paragraphs(RELATED[:1], YEARS)}{TABLE}<p "
        f"class=cap>Table 1: Archives and their "
        f"requests in 2020.</p><h3>2.2 Answering questions</h3>{_paragraphs(RELATED[1:], YEARS)}<h2>3 Method</h2>"
        f"{_paragraphs(METHOD * 3, {})}<h2>References</h2>{''.join(f'<p class=r>{each}</p>' for each in APA)}</div>"
    )
    return _page(style, body)


def ieee() -> str:
    """Two columns, numbers, Roman numerals over centred capitals, abstract with its word in front."""
    style = (
        f"@page {{ size: Letter; margin: 0.8in 0.7in }} body {{ {BODY} }} "
        f"h1 {{ text-align: center; font-size: 22pt; line-height: 26pt; font-weight: normal }}"
        ".c { column-count: 2; column-gap: 0.2in; column-fill: auto } "
        "h2 { font-size: 10pt; font-weight: normal; text-align: center; margin: 9pt 0 4pt }"
        "h3 { font-size: 10pt; font-weight: normal; font-style: italic; margin: 6pt 0 3pt } "
        "p { margin: 0; text-indent: 1em }"
        ".r { font-size: 8pt; line-height: 9.5pt; text-indent: -2em; padding-left: 2em }"
    )
    works = "".join(f"<p class=r>[{place}] {each}</p>" for place, each in enumerate(IEEE, 1))
    body = (
        "<h1>Asking Better Questions of Small Archives</h1><p style='text-align:center'>Ana Müller, Bo van Dijk</p>"
        "<div class=c><p><b><i>Abstract</i>—We look at how archives answer questions that their keepers never thought "
        f"of. We find that small archives answer better.</b></p><h2>I. INTRODUCTION</h2>{_paragraphs(OPENING, NUMBERS)}"
        f"<h2>II. RELATED WORK</h2><h3>A. Searching archives</h3>{_paragraphs(RELATED[:1], NUMBERS)}"
        f"<h3>B. Answering questions</h3>{_paragraphs(RELATED[1:], NUMBERS)}<h2>III. METHOD</h2>"
        f"{_paragraphs(METHOD * 3, {})}<h2>REFERENCES</h2>{works}</div>"
    )
    return _page(style, body)


def lncs() -> str:
    """One column, numbers, "Abstract." in the line, entries "1. Smith, A.: Title"."""
    style = (
        f"@page {{ size: A4; margin: 2in 1.7in }} body {{ {BODY} }} h1 {{ text-align: center; font-size: 14pt }}"
        "h2 { font-size: 12pt; margin: 14pt 0 8pt } p { margin: 0; text-indent: 1em } h2 + p { text-indent: 0 }"
        ".a { font-size: 9pt; line-height: 11pt; margin: 10pt 1cm; text-indent: 0 } "
        ".r { font-size: 9pt; line-height: 11pt; text-indent: -1.5em; padding-left: 1.5em; }"
    )
    works = "".join(f"<p class=r>{place}. {each}</p>" for place, each in enumerate(LNCS, 1))
    body = (
        "<h1>Asking Better Questions of Small Archives</h1><p "
        "style='text-align:center;text-indent:0'>Ana Müller and Bo van Dijk</p>"
        "<p class=a><b>Abstract.</b> We look at how archives answer questions that their keepers never thought of. We "
        f"find that small archives answer better.</p><h2>1 &nbsp; Introduction</h2>{_paragraphs(OPENING, NUMBERS)}"
        f"<h2>2 &nbsp; Background</h2>{_paragraphs(RELATED, NUMBERS)}<h2>3 &nbsp; Method</h2>{_paragraphs(METHOD, {})}"
        f"<h2>References</h2>{works}"
    )
    return _page(style, body)


def preprint() -> str:
    """One column, names and years in square brackets, paragraphs apart instead of indented, unnumbered headings."""
    style = (
        f"@page {{ size: Letter; margin: 1in 1.4in }} body {{ {BODY} }} h1 {{ text-align: center; font-size: 17pt }}"
        "h2 { font-size: 13pt; margin: 14pt 0 8pt } p { margin: 0 0 6pt } .r { margin: 0 0 6pt 1em; text-indent: -1em }"
    )
    body = (
        "<h1>Asking Better Questions of Small Archives</h1><p style='text-align:center'>Ana Müller and Bo van Dijk</p>"
        "<h2>Abstract</h2><p>We look at how archives answer questions that their keepers "
        "never thought of. We find that "
        f"small archives answer better.</p><h2>Introduction</h2>{_paragraphs(OPENING, SQUARE_YEARS)}"
        f"<h2>Related work</h2>{_paragraphs(RELATED, SQUARE_YEARS)}<h2>Method</h2>{_paragraphs(METHOD, {})}"
        f"<h2>References</h2>{''.join(f'<p class=r>{each}</p>' for each in PLAIN)}"
    )
    return _page(style, body)


def raised() -> str:
    """One column, numbers raised above the line after the full stop or the word."""
    style = (
        f"@page {{ size: A4; margin: 1in 1.3in }} body {{ {BODY} }} h1 {{ text-align: center; font-size: 17pt }}"
        "h2 { font-size: 12pt; margin: 12pt 0 6pt } p { margin: 0; text-indent: 1em } h2 + p { text-indent: 0 }"
        "sup { font-size: 6.5pt; line-height: 0 } .r { font-size: 9pt; text-indent: -1.5em; padding-left: 1.5em }"
    )
    works = "".join(f"<p class=r>{place}. {each}</p>" for place, each in enumerate(LNCS, 1))
    body = (
        "<h1>Asking Better Questions of Small Archives</h1><p style='text-align:center'>Ana Müller and Bo van Dijk</p>"
        "<h2>Abstract</h2><p>We look at how archives answer questions that their keepers never thought of. We find "
        f"that small archives answer better.</p><h2>1 Introduction</h2>{_paragraphs(OPENING, RAISED)}"
        "<h2>2 Related Work</h2>"
        f"{_paragraphs(RELATED, RAISED)}<h2>3 Method</h2>{_paragraphs(METHOD, {})}<h2>References</h2>{works}"
    )
    return _page(style, body)


LAYOUTS = {"raised": raised, "two-columns-years": two_columns_years, "ieee": ieee, "lncs": lncs, "preprint": preprint}
