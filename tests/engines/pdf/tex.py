"""Made-up papers as TeX sets them, in the classes of several publishers. All words are invented.

Their surveys are headed by their subjects, and stand in two numbered sections.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.engines.pdf.layouts import METHOD, OPENING

SEARCHING = [
    "Early studies {b} describe how keepers remember what they were asked, and why they forget it. Lee and Park "
    "{lee} counted requests over ten years, and found that most requests came from few people. Their figures were "
    "confirmed for larger archives by later research {f}, which also looked at the time between two requests.",
    "Other researchers have examined the cards themselves. Drawers with longer labels were found to be opened more "
    "often {oneil}, although several authors observed the contrary {garcia}. Most existing approaches learn from such "
    "counts, and report that the counts of one archive say little about those of another {lee}.",
]
ANSWERING = [
    "Question answering over archives was first tried in a study of names {smith}. Later work compared retrieval "
    "with reading {oneil}, and showed that readers prefer short answers {garcia}. They were never given to keepers.",
    "A related line of work has explored how answers are explained {b}. Explanations were judged to be helpful in all "
    "of these studies, but only by those who had asked the question themselves {f}.",
]
SURVEYS = {"Keepers and Their Memory": SEARCHING, "From Questions to Answers": ANSWERING}
TITLE = "Asking Better Questions of Small Archives"
ABSTRACT = (
    "We look at how archives answer questions that their keepers never thought of. We find that small archives answer "
    "better."
)
KEYS = ("garcia", "lee", "oneil", "oneilb", "smith", "berg")
NUMBERS = {key: rf"\cite{{{key}}}" for key in KEYS} | {
    "a": r"\cite{lee,oneil}", "b": r"\cite{berg}", "c": r"Smith et al.~\cite{smith}",
    "d": r"\cite{oneil,oneilb,smith,berg}", "f": r"\cite{garcia,smith}",
}  # fmt: skip
YEARS = {key: rf"\citep{{{key}}}" for key in KEYS} | {
    "a": r"\citep{lee,oneil}", "b": r"\citep{berg}", "c": r"\citet{smith}", "d": r"\citep{oneil,oneilb,smith,berg}",
    "f": r"\citep{garcia,smith}",
}  # fmt: skip
# What each citing sentence of introduction and surveys cites.
CITED = [
    ("2", "3"), ("6",), ("5",), ("3", "4", "5", "6"), ("6",), ("2",), ("1", "5"), ("3", "1"), ("2",), ("5",),
    ("3", "1"), ("6",), ("1", "5"),
]  # fmt: skip
LABELS = ("Garcia(2021)", "Lee and Park(2018)", "O'Neil et~al.(2020)", "Chan et~al.(2020)", "Smith et~al.(2019)",
          "van~der Berg(1999)")  # fmt: skip
WORKS = (
    r"J.~Garcia. Who asks, and why? \emph{Journal of Archive Studies}, 12(3):44--61, 2021.",
    r"K.~Lee and S.~Park. Ten years of requests. In \emph{Proceedings of the Archive Conference}, pages 11--20, 2018.",
    r"M.~O'Neil, B.~Chan, and X.~Wu. Reading or retrieving: A comparison. arXiv preprint arXiv:2001.01234, 2020.",
    r"B.~Chan, M.~O'Neil, and X.~Wu. The habits of keepers. In \emph{Proceedings of the Archive Conference}, "
    r"pages 1--10, 2020.",
    r"A.~Smith, B.~C. Jones, and A.~M\"uller. Long-tail questions in archives. \emph{Transactions on Archives}, "
    r"7:100--120, 2019.",
    r"P.~van~der Berg. \emph{Cards and drawers: A history}. Drawer Press, 1999.",
)
GERMAN = tuple(
    work.replace(" and ", " und ").replace("In \\emph{Proceedings of the", "In: \\emph{Proceedings of the")
    .replace("pages", "S.") for work in WORKS
)  # fmt: skip


@dataclass(frozen=True)
class Style:
    """How a paper is set: its class, preamble, what stands before the text, how it cites, its list of works."""

    document: str
    preamble: str = ""
    head: str = rf"\maketitle\begin{{abstract}}{ABSTRACT}\end{{abstract}}"
    names: str = r"\author{Ana Muller}"
    marks: str = "numbers"
    works: tuple[str, ...] = WORKS
    list_name: str = ""


STYLES = {
    "ieee": Style(
        r"\documentclass[conference]{IEEEtran}", r"\usepackage{cite}", names=r"\author{\IEEEauthorblockN{Ana Muller}}"
    ),
    "llncs-german": Style(
        r"\documentclass{llncs}", names=r"\author{Ana Muller}\institute{University}", works=GERMAN,
        list_name=r"\renewcommand{\refname}{Literaturverzeichnis}",
    ),
    "elsevier-years": Style(
        r"\documentclass[5p,authoryear]{elsarticle}", r"\journal{Archives}",
        head=rf"\begin{{frontmatter}}\title{{{TITLE}}}\author{{Ana Muller}}\begin{{abstract}}{ABSTRACT}\end{{abstract}}"
        r"\end{frontmatter}", names="", marks="years",
    ),
    "article-apart": Style(
        r"\documentclass[11pt,a4paper]{article}", r"\setlength{\parindent}{0pt}\setlength{\parskip}{6pt}",
        list_name=r"\renewcommand{\refname}{R\'ef\'erences bibliographiques}",
    ),
    "article-years": Style(
        r"\documentclass[10pt,twocolumn]{article}",
        r"\usepackage[round]{natbib}\setcounter{secnumdepth}{0}\usepackage{times}", marks="years",
        list_name=r"\renewcommand{\refname}{Bibliograf\'{\i}a}",
    ),
}  # fmt: skip


def source(style: Style) -> str:
    """Return the TeX of a paper."""
    marks = NUMBERS if style.marks == "numbers" else YEARS
    labels = [f"[{label}]" if style.marks == "years" else "" for label in LABELS]
    items = zip(KEYS, labels, style.works, strict=True)
    works = "\n".join(rf"\bibitem{label}{{{key}}} {work}" for key, label, work in items)
    title = "" if "frontmatter" in style.head else rf"\title{{{TITLE}}}{style.names}"
    sections = {"Introduction": OPENING, **SURVEYS, "Method": METHOD * 2, "Conclusion": METHOD[:1]}
    body = "\n".join(rf"\section{{{name}}}" + "\n" + _paragraphs(texts, marks) for name, texts in sections.items())
    return (
        rf"{style.document}\usepackage[T1]{{fontenc}}\usepackage[utf8]{{inputenc}}{style.preamble}"
        rf"\begin{{document}}{style.list_name}{title}{style.head}{body}"
        rf"\begin{{thebibliography}}{{9}}{works}\end{{thebibliography}}\end{{document}}"
    )


def _paragraphs(texts: list[str], marks: dict[str, str]) -> str:
    return "\n\n".join(text.format(**marks) for text in texts)


def has_tex() -> bool:
    """Whether pdflatex and the publishers' classes are installed."""
    if not shutil.which("pdflatex") or not shutil.which("kpsewhich"):
        return False
    wanted = ["IEEEtran.cls", "llncs.cls", "elsarticle.cls", "natbib.sty", "times.sty"]
    return subprocess.run(["kpsewhich", *wanted], stdout=subprocess.DEVNULL, check=False).returncode == 0


def printed(name: str, folder: Path) -> Path:
    """Return the PDF of a paper, set twice so that its citations have their numbers."""
    path = folder / f"{name}.tex"
    path.write_text(source(STYLES[name]), encoding="utf-8")
    for _ in range(2):
        done = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-no-shell-escape", path.name],
            cwd=folder, capture_output=True, check=False, timeout=120,
        )  # fmt: skip
    found = path.with_suffix(".pdf")
    assert found.exists(), done.stdout[-2000:].decode("utf-8", "replace")
    return found
