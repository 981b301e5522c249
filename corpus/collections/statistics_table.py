"""The statistics of a collection as a table for people and for papers: figures in words, without those that are 0."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from engines.text.latex_escape import escape

Lines = Sequence[tuple[str, str]]  # a figure in words, and its value

WORDS = {
    "documents": "documents",
    "with_abstract": "documents with an abstract",
    "with_keywords": "documents with keywords",
    "with_year": "documents with a year",
    "with_doi": "documents with a DOI",
    "mean_words": "words of title and abstract, mean",
    "with_full_text": "documents with a full text",
    "mean_full_text_words": "words of a full text, mean",
    "topics": "topics",
    "topics_by_kind": "topics of kind",
    "sentences": "sentences of topics",
    "aspects": "aspects, without their sub-aspects",
    "sub_aspects": "sub-aspects",
    "mean_aspects": "aspects of a topic, mean",
    "mean_sub_aspects": "sub-aspects of a topic, mean",
    "aspects_without_sub_aspects": "aspects that have no sub-aspects",
    "max_aspects": "aspects of a topic, most",
    "max_sub_aspects_per_aspect": "sub-aspects of an aspect, most",
    "distinct_aspects": "aspects and sub-aspects, distinct in a topic",
    "distinct_aspect_texts": "aspects and sub-aspects, distinct over all topics",
    "targets": "target documents of topics",
    "runs": "runs",
    "pooled_topics": "topics with a pool",
    "pool_entries": "pooled documents",
    "mean_pool": "pooled documents of a topic, mean",
    "pairs": "pairs to judge",
    "contexts": "citation contexts",
    "citing_paragraphs": "citing paragraphs",
}
INNER = {
    "contexts": "contexts",
    "coverage": "cited papers in the collection",
    "sources": "source",
    "table": "kept",
    "levels": "level",
}
NAMES_OF_FILES = {"topics_by_kind", "sources", "table", "levels"}  # what is below them is not ours to spell


def lines_of(figures: Mapping[str, Any]) -> list[tuple[str, str]]:
    """A line for each figure; figures of one thing below a part, such as a source of questions, share a line."""
    found: list[tuple[str, str]] = []
    for name, value in figures.items():
        words = WORDS.get(name, _spelt(name))
        found += _part(value, words, name) if isinstance(value, dict) else _line(words, value)
    return found


def _part(figures: Mapping[str, Any], above: str, of: str, depth: int = 1) -> Iterator[tuple[str, str]]:
    if depth > 1 and not any(isinstance(value, dict) for value in figures.values()):
        shown = [f"{_spelt(name)} {text}" for name, value in figures.items() for _, text in _line("", value)]
        yield from [(above, ", ".join(shown))] if shown else []
        return
    for name, value in figures.items():
        words = f"{above}: {name if of in NAMES_OF_FILES else INNER.get(name, _spelt(name))}"
        yield from _part(value, words, name, depth + 1) if isinstance(value, dict) else _line(words, value)


def _spelt(name: str) -> str:
    return name.replace("_", " ")


def _line(words: str, value: Any) -> list[tuple[str, str]]:
    """None of 0, of what is undefined, and of lists, such as figures paper by paper: these are in the JSON."""
    return [(words, f"{value:,}")] if isinstance(value, int | float) and value else []


def as_text(lines: Lines) -> str:
    """Numbers in one column; what shares a line stands behind its name."""
    width = max((len(words) for words, value in lines if " " not in value), default=0)
    return "\n".join(f"{words}: {value}" if " " in value else f"{words:<{width}} {value:>12}" for words, value in lines)


def as_markdown(lines: Lines) -> str:
    """A table of the single figures."""
    rows = "\n".join(f"| {words.replace('|', chr(92) + '|')} | {value} |" for words, value in lines if " " not in value)
    return f"| Figure | Value |\n|---|---:|\n{rows}\n"


def as_latex(lines: Lines) -> str:
    """A table environment of the single figures, to be put into a paper as it is."""
    rows = "\n".join(rf"{escape(words)} & {escape(value)} \\" for words, value in lines if " " not in value)
    head = r"\begin{table}" "\n" r"\begin{tabular}{lr}" "\n" r"\hline" "\n" r"Figure & Value \\" "\n" r"\hline"
    foot = r"\hline" "\n" r"\end{tabular}" "\n" r"\caption{Dataset statistics.}" "\n" r"\end{table}" "\n"
    return f"{head}\n{rows}\n{foot}"


WRITERS: dict[str, Callable[[Lines], str]] = {"text": as_text, "markdown": as_markdown, "latex": as_latex}
