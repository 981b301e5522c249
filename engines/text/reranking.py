"""Prompts for reranking as versioned texts: the turns of a conversation, each below a line that says whose it is.

    --- system
    You put scientific papers in order …
    --- user, for each paper
    [{number}] {title}
    --- user
    Put the {n} papers in order by how well they answer {query}.

The papers stand in one message, where {papers} is, or each in a turn, as in LitSearch's Table 13. One text,
and one hash of it, defines all that a model is sent.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

Message = Mapping[str, str]  # {"role": "system" | "user" | "assistant", "content": text}
ONCE = {
    "query": "the question or query",
    "n": "how many papers there are",
    "papers": "all papers, each after its number in brackets",
}
FOR_EACH = {
    "number": "the paper's number",
    "title": "its title",
    "abstract": "its abstract",
    "query": "the question or query",
    "n": "how many papers there are",
}
# Prompts to begin with: in the collection once they are used or saved. The first is used where none is named.
STARTERS = {
    name: (Path(__file__).parent / "reranking_prompts" / file).read_text(encoding="utf-8").strip()
    for name, file in (("One message", "one_message.txt"), ("Turns", "turns.txt"))
}
USUAL = next(iter(STARTERS))

_TURN = re.compile(r"^-{3,}[ \t]*(system|user|assistant)(,[ \t]*for each paper)?[ \t]*$", re.MULTILINE | re.IGNORECASE)
_PLACE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


class BadRerankPrompt(ValueError):
    """The text is no prompt for reranking; the message says why, as a person reads it."""


@dataclass(frozen=True)
class Paper:
    """A paper as the model reads it: title and abstract without line breaks."""

    title: str
    abstract: str

    @property
    def passage(self) -> str:
        return f"{self.title} {self.abstract}".strip() or "(no text)"


@dataclass(frozen=True)
class Turn:
    """One message, or one for each paper."""

    role: str
    text: str
    for_each: bool

    @property
    def places(self) -> list[str]:
        """The places that are filled in, as often as they stand there."""
        return _PLACE.findall(self.text)

    def message(self, texts: Mapping[str, str]) -> Message:
        """Texts that are filled in are never searched for places."""
        return {"role": self.role, "content": _PLACE.sub(lambda match: texts[match[1]], self.text)}


@dataclass(frozen=True)
class RerankPrompt:
    """The turns; those for each paper are in one piece."""

    turns: tuple[Turn, ...]

    def messages(self, query: str, papers: Sequence[Paper]) -> list[Message]:
        """What is sent about these papers, numbered from 1."""
        passages = "\n\n".join(f"[{number}] {paper.passage}" for number, paper in enumerate(papers, 1))
        whole = {"query": query, "n": str(len(papers)), "papers": passages}
        block = [turn for turn in self.turns if turn.for_each]
        found: list[Message] = []
        for turn in self.turns:
            if not turn.for_each:
                found.append(turn.message(whole))
            elif turn is block[0]:
                own = [_texts(number, paper) for number, paper in enumerate(papers, 1)]
                found += [each.message(whole | texts) for texts in own for each in block]
        return found


def _texts(number: int, paper: Paper) -> dict[str, str]:
    title, abstract = paper.title or "(no title)", paper.abstract or "(no abstract)"
    return {"number": str(number), "title": title, "abstract": abstract}


def shortened(title: str, abstract: str, longest: int) -> Paper:
    """The first `longest` words of title and abstract together."""
    words = title.split()[:longest]
    return Paper(" ".join(words), " ".join(abstract.split()[: longest - len(words)]))


def parse_rerank_prompt(body: str) -> RerankPrompt:
    """Parse a prompt. Errors: BadRerankPrompt with the first thing that is wrong."""
    turns = tuple(_turns(body.replace("\r\n", "\n").strip()))
    for number, turn in enumerate(turns, 1):
        _check_turn(turn, number)
    _check_papers(turns)
    if not any("query" in turn.places for turn in turns):
        raise BadRerankPrompt("No turn holds {query}, so every question would get the same order.")
    if turns[-1].role != "user":
        raise BadRerankPrompt("The last turn must be the user's: the model answers it.")
    return RerankPrompt(turns)


def _turns(body: str) -> Iterable[Turn]:
    heads = list(_TURN.finditer(body))
    if not heads or heads[0].start() > 0:
        raise BadRerankPrompt("Begin with a line that says whose turn it is: “--- system” or “--- user”.")
    ends = [head.start() for head in heads[1:]] + [len(body)]
    for head, end in zip(heads, ends, strict=True):
        yield Turn(head[1].lower(), body[head.end() : end].strip(), bool(head[2]))


def _check_turn(turn: Turn, number: int) -> None:
    if not turn.text:
        raise BadRerankPrompt(f"Turn {number} is empty.")
    if turn.role == "system" and (number > 1 or turn.for_each):
        raise BadRerankPrompt("The system has the first turn only, and not one for each paper.")
    known = FOR_EACH if turn.for_each else ONCE
    if unknown := [name for name in turn.places if name not in known]:
        places = ", ".join(f"{{{name}}}" for name in known)
        raise BadRerankPrompt(f"Turn {number} has no place {{{unknown[0]}}}. Known in this turn are {places}.")


def _check_papers(turns: Sequence[Turn]) -> None:
    listed = sum(turn.places.count("papers") for turn in turns)
    block = [place for place, turn in enumerate(turns) if turn.for_each]
    if listed + bool(block) != 1:
        raise BadRerankPrompt("Show the papers once: at {papers}, or in turns “for each paper”.")
    if not block:
        return
    if block[-1] - block[0] >= len(block):
        raise BadRerankPrompt("The turns for each paper must follow each other.")
    shown = {name for place in block for name in turns[place].places}
    if "number" not in shown or not shown & {"title", "abstract"}:
        raise BadRerankPrompt("The turns for each paper must hold {number}, and {title} or {abstract}.")
