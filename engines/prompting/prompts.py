"""Prompts as versioned texts: the meaning of answers above a line of dashes, the message to send below it.

    answer CONCUR = 2
    answer DISAGREE = 0
    ---
    Does the abstract meet the requirement? {aspect} …

So one text, and one hash of it, defines what is sent and how the reply is read. A text without that head asks for the
numbers of the scale.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engines.prompting.answers import AnswerForm, join_numbers

PLACEHOLDERS = {
    "query": "the whole query or question of the topic",
    "aspect": "the aspect that is judged; the query where a topic has no aspects",
    "parent": "the aspect above it, empty where there is none",
    "title": "the document's title",
    "abstract": "the document's abstract",
    "levels": "the criterion's levels with their definitions, one on each line",
}
# Prompts to begin with: offered where a collection has none, and part of the collection once they are saved.
STARTERS = {
    file.stem.replace("_", " ").capitalize(): file.read_text(encoding="utf-8")
    for file in sorted((Path(__file__).parent / "starters").glob("*.txt"))
}
MOST_BODY = 50_000
MOST_WORDS = 20

_HEAD = re.compile(r"\A((?:[ \t]*(?i:answer)[^\n]*\n|[ \t]*\n)*)-{3,}[ \t]*(?:\n|\Z)")
_ANSWER = re.compile(r"\s*(?i:answer)\s+([A-Z][A-Z_-]{1,29})\s*=\s*([+-]?[0-9]{1,4})\s*")
_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


class BadPrompt(ValueError):
    """The text is no prompt; the message says why, as a person reads it."""


@dataclass(frozen=True)
class Prompt:
    """The message with its placeholders, and the words of answers with their values (none: numbers of the scale)."""

    message: str
    words: tuple[tuple[str, int], ...] = ()

    @property
    def quotes_levels(self) -> bool:
        """Whether the levels of the campaign are a part of the message."""
        return "levels" in _PLACEHOLDER.findall(self.message)

    def form(self, values: Sequence[int]) -> AnswerForm:
        """How its answers are read on this scale. Raises BadPrompt for a word whose value is no level of it."""
        for word, value in self.words:
            if value not in values:
                raise BadPrompt(f"{word} means {value}, which is not on the scale ({join_numbers(values)}).")
        return AnswerForm(tuple(values), self.words)

    def fill(self, texts: Mapping[str, str]) -> str:
        """The message for one item. Texts that are filled in are never searched for placeholders."""
        return _PLACEHOLDER.sub(lambda match: texts[match[1]], self.message)


def parse_prompt(body: str) -> Prompt:
    """Parse a prompt. Raises BadPrompt for unknown placeholders, repeated answers, and a text without an item."""
    if len(body) > MOST_BODY:
        raise BadPrompt(f"A prompt has at most {MOST_BODY:,} characters.")
    body = body.replace("\r\n", "\n")
    head = _HEAD.match(body)
    message = body[head.end() :] if head else body
    words = _words(head[1]) if head else ()
    used = list(dict.fromkeys(_PLACEHOLDER.findall(message)))
    unknown = [name for name in used if name not in PLACEHOLDERS]
    if unknown:
        raise BadPrompt(
            f"There is no place {{{unknown[0]}}}. Known are {', '.join(f'{{{name}}}' for name in PLACEHOLDERS)}."
        )
    if not set(used) & {"query", "aspect"}:
        raise BadPrompt("The prompt must hold {aspect} or {query}: otherwise every item gets the same message.")
    return Prompt(message.strip(), words)


def _words(head: str) -> tuple[tuple[str, int], ...]:
    words: dict[str, int] = {}
    for line in filter(str.strip, head.splitlines()):
        match = _ANSWER.fullmatch(line)
        if match is None:
            raise BadPrompt(
                f"“{line.strip()[:60]}” is not an answer. Write: answer WORD = number, the word in capitals."
            )
        if match[1] in words:
            raise BadPrompt(f"The answer {match[1]} is given twice.")
        words[match[1]] = int(match[2])
    if len(words) > MOST_WORDS:
        raise BadPrompt(f"At most {MOST_WORDS} answers can be named.")
    if len(words) == 1:
        raise BadPrompt("With a single answer there is nothing to ask. Name two or more.")
    return tuple(words.items())
