"""Made papers with a known right answer: sentences of abstracts, set by TeX in the kinds of `bench.paper_kinds`.

A paper's sentences are drawn from CSFCube's abstracts and its works from the BibTeX files of ACM-CR, both next to the
checkout; citations, notes, floats and headings are put in by chance. Nothing of it is kept but the figures.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.paper_kinds import PaperKind
from engines.formats.records import DocumentRecord

ESCAPES = {"&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_", "$": r"\$"}
_PLAIN_SENTENCE = re.compile(r"[A-Z][\w ,;:'()/%&-]+[a-z)]\.", re.ASCII).fullmatch
_UNSURE = re.compile(r"[.?!]\s|--|''")  # what TeX would set otherwise, or where a sentence may end
_PLAIN_TITLE = re.compile(r"[A-Z][\w ,:-]{20,110}[a-z]").fullmatch
_PLAIN_NAME = re.compile(r"[A-Z][a-z]+, [A-Z][a-z]+(?: [A-Z]\.)?").fullmatch
_PRINTED_KEY = re.compile(r"\\bibitem\s*(?:\[(?:[^\[\]{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\])?%?\s*\{(w\d+)\}")
_CUE = re.compile(r"(?<=[a-z]{4})(?=, | and | with | of )")
_ASIDES = (
    " This is shown in Fig.~1 and in Sec.~3.2, e.g., for long names.",
    " Dr. J. Garcia et al. found the same in 2011.",
    " See Table~1, i.e., the row of most requests.",
)


@dataclass
class GoldSentence:
    """A sentence without its citation markers, and the keys it cites."""

    text: str
    cites: list[str]


@dataclass
class GoldPaper:
    """What a made paper holds: its title, its paragraphs of introduction and related work, its works in print order."""

    title: str
    paragraphs: list[list[GoldSentence]] = field(default_factory=list)
    works: list[str] = field(default_factory=list)
    titles: dict[str, tuple[str, str]] = field(default_factory=dict)  # of works: title and first surname


def sentences_of(path: Path) -> list[str]:
    """Return the plain sentences of abstracts (CSFCube's papers.jsonl), those in which no other could end."""
    found = []
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            for _, text in json.loads(line)["sentences"]:
                is_sure = not _UNSURE.search(text[:-1]) and text.count("(") == text.count(")")
                if 50 <= len(text) <= 320 and _PLAIN_SENTENCE(text) and is_sure:
                    found.append(" ".join(text.split()))
    return found


def works_of(records: Iterator[DocumentRecord], count: int) -> list[DocumentRecord]:
    """Return records that every style of works can print: plain titles and names, no two titles alike."""
    found: dict[str, DocumentRecord] = {}
    for record in records:
        is_plain = record.authors and all(map(_PLAIN_NAME, record.authors)) and len(record.authors) < 9
        if is_plain and record.year and _PLAIN_TITLE(record.title) and 10 < len(record.venue) < 90:
            found.setdefault(record.title.lower(), record)
        if len(found) >= count:
            break
    return list(found.values())


class Writer:
    """Writes one paper of a kind as TeX, with its right answer."""

    def __init__(self, kind: PaperKind, texts: Sequence[str], works: Sequence[DocumentRecord], seed: str) -> None:
        self.kind = kind
        self.draw = random.Random(seed)
        self.texts = list(texts)
        self.works = self.draw.sample(list(works), 34)
        self.keys = {f"w{place}": work for place, work in enumerate(self.works)}
        self.unused = list(self.keys)
        self.gold = GoldPaper(self.draw.choice([each for each in works if len(each.title) < 80]).title)

    def source(self) -> str:
        """Return the TeX of the paper."""
        kind, survey = self.kind, self.kind.survey
        body = [self.section("Introduction", 4, cites=True)]
        if survey:
            body.append(self.section(survey, 3, cites=True, inside=("Early systems", "Later systems")))
        body.append(self.section("Method", 3, inside=("Data", "Model")))
        body.append(self.section("Results", 4))
        body.append(self.section("Conclusion", 1))
        body.append(r"\section*{Acknowledgments} " + " ".join(self.drawn(2)) if kind.thanks else "")
        nocite = rf"\nocite{{{','.join(self.unused)}}}"
        front = kind.front.replace("@TITLE@", self.gold.title).replace("@ABSTRACT@", " ".join(self.drawn(4)))
        after = self.section("More of the data", 2) if kind.appendix else ""
        return (
            f"{kind.document}\n\\begin{{document}}\n{front}\n{kind.contents}\n" + "\n".join(body)
            + f"\n{nocite}\n{kind.list_of_works}\n"
            + (rf"\appendix {after}" if after else "") + "\n\\end{document}\n"
        )  # fmt: skip

    def drawn(self, count: int) -> list[str]:
        return [_tex(text) for text in self.draw.sample(self.texts, count)]

    def section(self, name: str, count: int, *, cites: bool = False, inside: Sequence[str] = ()) -> str:
        """Return a section of `count` paragraphs, with a float or a display where the chance has it."""
        parts = [rf"\section{{{name}}}"]
        for place in range(count):
            if inside and place and place <= len(inside) and self.kind.subsections:
                parts.append(rf"\subsection{{{inside[place - 1]}}}")
            parts.append(self.paragraph(cites=cites))
            if cites and name == "Introduction" and place == count - 1 and self.kind.lists:
                parts.append(self.listed())
            chance = self.draw.random()
            if chance < 0.25:
                parts.append(self.float())
            elif chance < 0.4 and not cites:
                parts.append(r"\begin{equation} s(q,d) = \sum_{t \in q} \frac{f_t (k+1)}{f_t + k} \end{equation}")
            elif chance < 0.55 and not cites:
                items = "".join(rf"\item {text}" for text in self.drawn(3))
                parts.append(rf"\begin{{itemize}}{items}\end{{itemize}}")
        return "\n\n".join(parts)

    def float(self) -> str:
        caption = self.drawn(1)[0]
        if self.draw.random() < 0.5:
            rule = r"\rule{0.7\columnwidth}{80pt}"
            return rf"\begin{{figure}}\centering{rule}\caption{{{caption}}}\end{{figure}}"
        rows = r"North & 12,000 & 310 \\ South & 8,100 & 92 \\ West & 91 & 1,003"
        table = rf"\begin{{tabular}}{{lrr}} Archive & Items & Requests \\ \hline {rows} \end{{tabular}}"
        return rf"\begin{{table}}\caption{{{caption}}}\centering {table}\end{{table}}"

    def paragraph(self, *, cites: bool) -> str:
        count = self.draw.randint(3, 6)
        gold: list[GoldSentence] = []
        pieces = []
        if cites and self.kind.run_ins and self.draw.random() < 0.4:
            pieces.append(r"\paragraph{Cards and drawers.}")
        for text in self.draw.sample(self.texts, count):
            wanted = cites and self.draw.random() < 0.55
            piece, sentence = self.cited(text) if wanted else (_tex(text), GoldSentence(text, []))
            if self.kind.notes and self.draw.random() < 0.06:
                piece += rf"\footnote{{{self.drawn(1)[0]}}}"
            pieces.append(self.adorned(piece))
            gold.append(sentence)
        if self.draw.random() < 0.3:
            aside = self.draw.choice(_ASIDES)
            pieces.append(aside.strip())
            gold.append(GoldSentence(aside.strip().replace("~", " "), []))
        if cites:
            self.gold.paragraphs.append(gold)
        return "\n".join(pieces)

    def adorned(self, piece: str) -> str:
        """Set a word of a sentence slanted, bold or as code, as authors do; its letters stay."""
        words = list(re.finditer(r"(?<= )[a-z]{5,}(?= )", piece))
        if not words or self.draw.random() > 0.3:
            return piece
        word, style = self.draw.choice(words), self.draw.choice(["emph", "textbf", "texttt"])
        return rf"{piece[: word.start()]}\{style}{{{word.group()}}}{piece[word.end() :]}"

    def listed(self) -> str:
        """Return a list of the paper's contributions, each an item of one or two sentences."""
        items = [self.draw.sample(self.texts, self.draw.choice([1, 2])) for _ in range(3)]
        self.gold.paragraphs.extend([GoldSentence(text, []) for text in item] for item in items)
        kind = self.draw.choice(["itemize", "enumerate"])
        listed = "".join(rf"\item {' '.join(map(_tex, item))}" for item in items)
        return rf"\begin{{{kind}}}{listed}\end{{{kind}}}"

    def cited(self, text: str) -> tuple[str, GoldSentence]:
        """Return a sentence as TeX with a citation at its end, in its middle or at its beginning, and its answer."""
        keys = [self.key() for _ in range(self.draw.choice([1, 1, 1, 2, 2, 3, 4]))]
        keys = list(dict.fromkeys(keys))
        where = self.draw.random()
        mark = rf"{self.kind.cite}{{{','.join(keys)}}}"
        glue = "" if self.kind.is_raised else "~"
        cues = [match.start() for match in _CUE.finditer(text)]
        if where < 0.2 and text[1].islower() and self.kind.narrative:
            rest = text[0].lower() + text[1:]
            names = _names(self.keys[keys[0]])
            printed = rf"{self.kind.narrative}{{{keys[0]}}}"
            piece = printed if self.kind.prints_names else f"{names}{glue}{printed}"
            return f"{piece} found that {_tex(rest)}", GoldSentence(f"{names} found that {rest}", keys[:1])
        if where < 0.5 and cues:
            place = self.draw.choice(cues)
            return f"{_tex(text[:place])}{glue}{mark}{_tex(text[place:])}", GoldSentence(text, keys)
        if self.kind.is_raised:
            return f"{_tex(text)}{mark}", GoldSentence(text, keys)
        return f"{_tex(text[:-1])}{glue}{mark}.", GoldSentence(text, keys)

    def key(self) -> str:
        if self.unused and self.draw.random() < 0.7:
            return self.unused.pop(self.draw.randrange(len(self.unused)))
        return self.draw.choice(list(self.keys))

    def bibliography(self) -> str:
        """Return the BibTeX file of the paper's works."""
        return "\n".join(_entry(key, work, self.draw) for key, work in self.keys.items())


def _tex(text: str) -> str:
    return "".join(ESCAPES.get(char, char) for char in text)


def _names(work: DocumentRecord) -> str:
    surnames = [name.partition(",")[0] for name in work.authors]
    return f"{surnames[0]} et al." if len(surnames) > 2 else " and ".join(surnames)


def _entry(key: str, work: DocumentRecord, draw: random.Random) -> str:
    is_article = draw.random() < 0.4
    kind, venue = ("article", "journal") if is_article else ("inproceedings", "booktitle")
    first = draw.randint(1, 900)
    fields = {
        "author": " and ".join(work.authors), "title": _tex(work.title), venue: _tex(work.venue),
        "year": str(work.year), "pages": f"{first}--{first + draw.randint(1, 19)}",
    }  # fmt: skip
    if is_article:
        fields["volume"] = str(draw.randint(1, 60))
    return f"@{kind}{{{key},\n" + ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items()) + "\n}\n"


def make(writer: Writer, folder: Path, name: str) -> tuple[Path, GoldPaper] | None:
    """Set a paper with pdflatex and bibtex; None where TeX makes no PDF of it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.tex").write_text(writer.source(), encoding="utf-8")
    (folder / "works.bib").write_text(writer.bibliography(), encoding="utf-8")
    latex = ["pdflatex", "-interaction=nonstopmode", "-no-shell-escape", f"{name}.tex"]
    for command in (latex, ["bibtex", name], latex, latex):
        subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=120)
    made = folder / f"{name}.pdf"
    works = folder / f"{name}.bbl"
    if not made.exists() or not works.exists():
        return None
    text = works.read_text("utf-8", "replace")
    writer.gold.works = re.findall(
        r"\\bibitem\s*(?:\[(?:[^\[\]{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\])?%?\s*\{(w\d+)\}", text
    )
    writer.gold.titles = {key: (work.title, work.authors[0].partition(",")[0]) for key, work in writer.keys.items()}
    return made, writer.gold
