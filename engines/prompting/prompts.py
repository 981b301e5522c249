"""Prompts as versioned texts: the meaning of answers above a line of dashes, the message to send below it.

    answer CONCUR = 2
    answer DISAGREE = 0
    ---
    Does the abstract meet the requirement? {aspect} …

So one text, and one hash of it, defines what is sent and how the reply is read. A text without that head asks for the
numbers of the scale. One with {criteria} asks for an answer to each criterion, by its key.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engines.prompting.answers import (
    AnswerForm,
    Reading,
    describe_form,
    describe_forms,
    join_numbers,
    read_answer,
    read_answers,
)

PLACEHOLDERS = {
    "query": "the whole query or question of the topic",
    "topic_title": "the topic's title",
    "narrative": "the topic's narrative: what counts as relevant",
    "paragraph": "the paragraph that cites, of a topic from a citation context",
    "sentence": "the sentence that cites, of a topic from a citation context",
    "targets": "title and abstract of the documents known to answer the topic, without the one that is judged",
    "aspect": "the aspect that is judged; the query where a topic has no aspects",
    "parent": "the aspect above it, empty where there is none",
    "title": "the document's title",
    "abstract": "the document's abstract",
    "levels": "the criterion's levels with their definitions, one on each line",
    "criteria": "key, question and levels of each criterion that is rated; the reply then answers each, by its key",
}
TOPICAL = ("query", "aspect")  # without one of them, messages do not say what is asked
OF_CRITERIA = ("levels", "criteria")  # the same for every item
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
    def places(self) -> list[str]:
        """The placeholders in it, each once."""
        return list(dict.fromkeys(_PLACEHOLDER.findall(self.message)))

    @property
    def quotes_levels(self) -> bool:
        """Whether the levels of the campaign are a part of the message."""
        return not set(OF_CRITERIA).isdisjoint(self.places)

    @property
    def rates_each(self) -> bool:
        """Whether the reply answers several criteria, each by its key."""
        return "criteria" in self.places

    def form(self, values: Sequence[int]) -> AnswerForm:
        """How its answers are read on this scale. Raises BadPrompt for a word whose value is no level of it."""
        for word, value in self.words:
            if value not in values:
                raise BadPrompt(f"{word} means {value}, which is not on the scale ({join_numbers(values)}).")
        return AnswerForm(tuple(values), self.words)

    def read(self, text: str, forms: Mapping[str, AnswerForm], *, cut_off: bool = False) -> dict[str, Reading]:
        """What a reply states of each criterion; `forms` by their keys, one alone unless it `rates_each`."""
        if self.rates_each:
            return read_answers(text, forms, cut_off=cut_off)
        return {key: read_answer(text, form, cut_off=cut_off) for key, form in forms.items()}

    def describe(self, forms: Mapping[str, AnswerForm]) -> str:
        """How a reply must end, for people."""
        return describe_forms(forms) if self.rates_each else describe_form(next(iter(forms.values())))

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
    for match in _PLACEHOLDER.finditer(body, len(body) - len(message)):
        if match[1] not in PLACEHOLDERS:
            line = body.count("\n", 0, match.start()) + 1
            known = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
            raise BadPrompt(f"Line {line}: there is no place {match[0]}. Known are {known}.")
    found = Prompt(message.strip(), words)
    if {"levels", "criteria"} <= set(found.places):
        raise BadPrompt("{criteria} holds the levels of each criterion. Use either it or {levels}.")
    if set(found.places).isdisjoint(TOPICAL):
        raise BadPrompt("The prompt must hold {aspect} or {query}: otherwise every item gets the same message.")
    return found


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
