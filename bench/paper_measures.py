"""How much of a made paper comes back: sentences, what they cite, works and their titles, section headings."""

from __future__ import annotations

import re
import unicodedata

from rapidfuzz import fuzz

from bench.extraction import PARTS, Score, plain
from bench.made_papers import GoldPaper, GoldSentence
from bench.paper_kinds import PaperKind
from engines.formats.papers import FullPaper, Marker, Paragraph, Sentence

_MARK = r"\s?(?:\[[\w\s,;.+-]{1,60}\]|\((?:[^()]*\b(?:19|20)\d\d[a-z]?[^()]*)\))"
_MARKS = re.compile(rf"{_MARK}(?:\s?[,;-]?{_MARK})*")
_ITEM = re.compile(r"^(?:[•-]|\(?(?:\d|[ivx]{1,3})[.)])\s")
_BEFORE_STOP = re.compile(r"\s+([.,;:])")


def bare(text: str) -> str:
    """A text without what looks like a citation, so that only its own words are compared."""
    text = _BEFORE_STOP.sub(r"\1", _MARKS.sub("", plain(text).replace(" & ", " and ")))
    return _ITEM.sub("", re.sub(r"\.(?=\.$)", "", text))


def folded(text: str) -> str:
    """Letters and digits only, small."""
    plainer = unicodedata.normalize("NFKD", text).lower()
    return "".join(char for char in plainer if char.isalnum() and char.isascii())


def score_paper(score: Score, kind: PaperKind, paper: FullPaper, gold: GoldPaper) -> None:
    """Add what came back of one paper."""
    body = [each for each in paper.paragraphs if each.kind == "paragraph" and each.part in PARTS]
    found = [(bare(_text(each, one)), each, one) for each in body for one in each.sentences]
    texts = {bare(each.text) for each in body}
    for paragraph in gold.paragraphs:
        text = " ".join(bare(one.text) for one in paragraph)
        score.add("paragraphs_exact", text in texts)
        for one in paragraph:
            _score_sentence(score, one, found, gold)
    score.add("title", folded(paper.title) == folded(gold.title), f"{paper.title} ≠ {gold.title}")
    _score_works(score, kind, paper, gold)
    _score_sections(score, kind, paper)


def _text(paragraph: Paragraph, sentence: Sentence) -> str:
    """The words of a sentence without the markers that were recognised."""
    text, begin = paragraph.text, sentence.end
    pieces: list[str] = []
    inside = [each for each in paragraph.markers if sentence.start <= each.start < sentence.end]
    for marker in sorted(inside, key=lambda each: -each.start):
        pieces.append(text[marker.end : begin])
        pieces.append(_names_in(marker))
        begin = marker.start
    pieces.append(text[sentence.start : begin])
    return "".join(reversed(pieces)).strip()


def _names_in(marker: Marker) -> str:
    """The names that are part of the sentence: those before the year's bracket."""
    return " [0]" if marker.text.startswith(("(", "[")) else re.split(r"\s*[(\[]", marker.text)[0]


def _score_sentence(
    score: Score, gold: GoldSentence, found: list[tuple[str, Paragraph, Sentence]], paper: GoldPaper
) -> None:
    text = bare(gold.text)
    nearest = max(found, key=lambda each: fuzz.ratio(text, each[0]), default=None)
    ratio = fuzz.ratio(text, nearest[0]) if nearest else 0
    shown = nearest[0] if nearest else ""
    score.add("sentences_95", ratio >= 95, f"{text} ≠ {shown}")
    score.add("sentences_exact", bool(nearest) and text == shown, f"{text} ≠ {shown}")
    if gold.cites:
        numbers = sorted(paper.works.index(key) + 1 for key in gold.cites if key in paper.works)
        cites = sorted(int(key) for key in nearest[2].cites) if nearest else []
        printed = nearest[1].text[nearest[2].start : nearest[2].end] if nearest else ""
        score.add("cites", numbers == cites, f"{numbers} ≠ {cites} in {printed}")


def _score_works(score: Score, kind: PaperKind, paper: FullPaper, gold: GoldPaper) -> None:
    titles = gold.titles
    for place, key in enumerate(gold.works):
        work = paper.references[place] if place < len(paper.references) else None
        raw = folded(work.raw) if work else ""
        title, name = titles[key]
        is_there = folded(name) in raw and (not kind.titles or folded(title) in raw)
        score.add("works_found", is_there, f"{key} {name} {title} not in {work.raw if work else None}")
        if work and is_there and kind.titles:
            score.add("work_titles", folded(work.title) == folded(title), f"{work.title} | {work.raw}")
        elif work and is_there:
            score.add("invented", not work.title, f"{work.title} | {work.raw}")


def _score_sections(score: Score, kind: PaperKind, paper: FullPaper) -> None:
    """Whether the top sections are those of the paper, each once and in order."""
    found: list[str] = []
    for each in paper.paragraphs:
        if each.kind == "heading" and (name := folded(re.sub(r"^[\dIVXA-H.]+\s", "", each.top))) not in found[-1:]:
            found.append(name)
    wanted = ["Introduction", *([kind.survey] if kind.survey else []), "Method", "Results", "Conclusion"]
    wanted += ["Acknowledgments"] if kind.thanks else []
    wanted += ["More of the data"] if kind.appendix else []
    score.add("sections", found == [folded(name) for name in wanted], f"{found}")
