"""Asking a language model for literature-search questions about a paragraph, and reading its answer strictly.

The way is LitSearch's (Ajith et al., EMNLP 2024, section 2.1 and Table 12): markers `{cite_001}` in the paragraph,
titles below it, two worked demonstrations, questions with the keys that answer them. The wording is Litmus's own and
can be edited; what must stay are the two places to fill in and the form of the answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

PLACES = ("{{paragraph}}", "{{titles}}")
LONGEST_QUESTION = 1_000  # characters
NOTHING = "NONE"

DEFAULT_TEMPLATE = """\
You help to build a test of literature search engines. Below you get one paragraph of a scientific paper. Each place \
where it cites another paper is marked with a key such as {cite_001}; the titles of the cited papers stand below it.

Write questions that a researcher might put to a well-read colleague who knows the literature, such that one or \
several of the cited papers answer them. Keep to these rules:

1. A reader of the question alone must understand it: do not refer to the paragraph, to its authors or to "this work".
2. Ask for what the paragraph says about the cited papers: the problem, the method, the finding, the kind of data. The \
more of it a question holds, the better, as long as somebody could really ask it.
3. Use other words than the titles wherever the meaning allows, and never name a paper, a system or its authors.
4. Where several papers are cited for the same thing, ask one question that all of them answer.
5. Leave out citations whose role the paragraph does not make clear. Few good questions are better than many.
6. Give as answer only keys, separated by commas. If nothing in the paragraph is worth asking, write the single word \
NONE.

Here are two examples.

PARAGRAPH: Sensors in beehives were at first used to notice swarming from the sound alone {cite_001}{cite_002}. Weight \
and temperature tell more about the stores in winter {cite_003}, yet hobby keepers rarely open their records, so that \
{cite_004} had to simulate missing scales.
TITLES:
- cite_001: Acoustic precursors of colony division
- cite_002: Listening to Apis mellifera: a classifier for pre-departure piping
- cite_003: Overwintering success from load cells and thermocouples
- cite_004: Imputing sparse apiary telemetry

QUESTION: Has anybody predicted from microphone recordings that honey bees are about to leave with their old queen?
ANSWER: cite_001, cite_002
QUESTION: I would like to know whether food reserves in the cold season can be followed by measuring how heavy and how \
warm the hive is. Is there work on that?
ANSWER: cite_003
QUESTION: How can gaps in measurements from privately kept hives be filled when most owners do not share their data?
ANSWER: cite_004

PARAGRAPH: We build on the parser of {cite_001} and keep its settings. Old notation of music differs between scribes; \
the first attempts read single symbols {cite_002}, whereas later ones take a whole staff as a sequence and need no \
segmentation {cite_003}{cite_004}.
TITLES:
- cite_001: A general toolkit for structured prediction
- cite_002: Glyph recognition in mensural manuscripts
- cite_003: End-to-end transcription of handwritten scores
- cite_004: Staff-level decoding with connectionist temporal classification

QUESTION: Which approaches transcribe historical handwritten music line by line, without first cutting it into signs?
ANSWER: cite_003, cite_004
QUESTION: Are there early studies that classify isolated signs of medieval or Renaissance notation?
ANSWER: cite_002

Now the paragraph that matters. Answer in the form of the examples, and write nothing else.

PARAGRAPH: {{paragraph}}
TITLES:
{{titles}}
"""

_PLACE = re.compile("|".join(map(re.escape, PLACES)))
_LABEL = re.compile(r"^(QUESTION|ANSWER):[ \t]*", re.MULTILINE | re.IGNORECASE)
# Controls but for white space, and what overrides the direction of writing; marks that scripts need are not among them.
_UNSEEN = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069]").search
_KEY = re.compile(r"\{?(cite_\d{3,6})\}?").fullmatch
_TAG = re.compile(
    r"<[a-zA-Z][a-zA-Z0-9-]*(?:\s+[a-zA-Z-]+=[^>]*)?\s*/?>|</[a-zA-Z][^>]*>|<!--|<!DOCTYPE|&(?:#x?[\da-f]{1,6}|[a-z]{2,8});",
    re.IGNORECASE,
).search
_REFUSAL = re.compile(
    r"\W*(?:i\W?m sorry|sorry|i can\W?not|i can\W?t|i am (?:unable|not able|sorry)|i\W?m (?:unable|not able)|"
    r"unfortunately|as an ai|i won\W?t|i will not)\b",
    re.IGNORECASE,
).match


def template_problem(body: str) -> str:
    """Return why `body` cannot be a template, or ""."""
    for place in PLACES:
        count = body.count(place)
        if count != 1:
            found = "does not hold" if count == 0 else f"holds {count} times"
            return f"The prompt {found} {place}; it must stand there exactly once."
    if "QUESTION:" not in body or "ANSWER:" not in body:
        return "The prompt must show the form of the answer: lines that begin with QUESTION: and ANSWER:."
    return ""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is sent, and which reference each key in it stands for ({"cite_001": "b3"})."""

    text: str
    keys: dict[str, str]


def render_prompt(
    body: str, paragraph: str, markers: Sequence[tuple[int, int, Sequence[str]]], titles: Mapping[str, str]
) -> Prompt:
    """Fill a template in. `markers` are (start, end, references) in order; `titles` are those of the references.

    A reference has the same key wherever it is cited; a marker without a known reference stays as it is printed.
    """
    numbers: dict[str, str] = {}
    pieces, at = [], 0
    for start, end, references in markers:
        known = [reference for reference in references if reference in titles]
        pieces.append(_plain(paragraph[at : start if known else end]))
        pieces.extend(f"{{{numbers.setdefault(each, f'cite_{len(numbers) + 1:03}')}}}" for each in known)
        at = end
    pieces.append(_plain(paragraph[at:]))
    listed = "\n".join(f"- {key}: {_plain(_one_line(titles[each])) or '(no title)'}" for each, key in numbers.items())
    values = {"{{paragraph}}": _one_line("".join(pieces)), "{{titles}}": listed}
    text = _PLACE.sub(lambda match: values[match[0]], body)
    return Prompt(text, {key: reference for reference, key in numbers.items()})


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _plain(text: str) -> str:
    """Change what would look like a key of ours in a stranger's text."""
    return re.sub(r"\{\s*cite_", "(cite_", text)


# --- the answer -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A question of an answer with its keys as written (`cite_…`)."""

    text: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer as it was understood. `problem` is "" unless it could not be; then there are no questions.

    `is_refusal`: the model would not answer. No question and no problem: it found nothing to ask.
    """

    questions: tuple[ParsedQuestion, ...] = ()
    problem: str = ""
    is_refusal: bool = False


def read_answer(text: str) -> Reading:
    """Read `QUESTION: … ANSWER: cite_001, cite_002 …` and nothing else; the single word NONE is an answer too.

    Capitals do not matter.
    """
    whole = text.replace("\r\n", "\n").strip()
    if whole.rstrip(".").upper() == NOTHING:
        return Reading()
    labels = list(_LABEL.finditer(whole))
    if not labels or labels[0].start() > 0:
        return _not_understood(whole, labels[0].start() if labels else 0)
    ends = [label.start() for label in labels[1:]] + [len(whole)]
    parts = [(label[1], whole[label.end() : end].strip()) for label, end in zip(labels, ends, strict=True)]
    try:
        return Reading(tuple(_pair(n, parts[2 * n : 2 * n + 2]) for n in range((len(parts) + 1) // 2)))
    except ValueError as error:
        return Reading(problem=str(error))


def _not_understood(whole: str, first_label: int) -> Reading:
    if first_label:
        return Reading(problem=f"It begins with something other than QUESTION: “{_cut(whole[:first_label])}”.")
    if not whole:
        return Reading(problem="The answer is empty.")
    if _REFUSAL(whole):
        return Reading(problem="The model would not answer.", is_refusal=True)
    return Reading(problem="It holds no line that begins with QUESTION:.")


def _pair(number: int, parts: Sequence[tuple[str, str]]) -> ParsedQuestion:
    """A question and its answer. Errors: ValueError with what is wrong, for people."""
    where = f"question {number + 1}"
    if [label.upper() for label, _ in parts] != ["QUESTION", "ANSWER"]:
        raise ValueError(f"After {where} there is no line ANSWER:, or two lines of the same kind follow each other.")
    question, answer = _one_line(parts[0][1]), parts[1][1]
    if not question:
        raise ValueError(f"The text of {where} is empty.")
    keys = []
    for written in filter(None, (piece.strip() for piece in answer.rstrip(".").split(","))):
        key = _KEY(written)
        if key is None:
            raise ValueError(f"The answer to {where} contains something other than keys: “{_cut(written)}”.")
        keys.append(key[1])
    return ParsedQuestion(question, tuple(dict.fromkeys(keys)))


def own_part(body: str, prompt: str) -> str:
    """Return the part of a prompt that is about its own paragraph: from the first place that was filled in."""
    start = min((at for at in map(body.find, PLACES) if at >= 0), default=0)
    return prompt[start:] if prompt[:start] == body[:start] else prompt


def holds_markup(text: str) -> bool:
    """Whether a question holds HTML: tags, comments, character references. `p < 0.05` is none."""
    return _TAG(text) is not None


def holds_unseen(text: str) -> bool:
    """Whether a text holds characters that nobody sees and that turn the order of letters or steer a terminal."""
    return _UNSEEN(text) is not None


def _cut(text: str) -> str:
    line = _one_line(text)
    return line if len(line) <= 80 else line[:79] + "…"
