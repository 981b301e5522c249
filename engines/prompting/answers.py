"""Reading a machine's answer strictly: exactly one known answer, in the last line, or it is invalid.

DORIS-MAE looks for words anywhere in the reply (formats.md 1.7), so that a reply with AGREE and DISAGREE silently
becomes 0. Here whole words count, two different answers are none, and nothing is guessed: an invalid reply goes to a
person with its text.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LABELS = ("final answer", "answer", "grade", "score", "rating", "label", "relevance")
MARKUP = " \t*_`#>\"'“”‘’"  # Markdown and quotes around an answer
SHOWN = 40  # characters of a line that a problem quotes

_LABEL = rf"(?:{'|'.join(LABELS)})"
_LABELLED_NUMBER = re.compile(rf"(?<!\w){_LABEL}[*_`]*\s*[:=][\s*_`]*([+-]?[0-9]+)(?![0-9])", re.IGNORECASE)
_LAST_LINE = re.compile(rf"(?:{_LABEL}[*_`]*\s*[:=][\s*_`]*)?(?P<answer>\S+)", re.IGNORECASE)
# What may be in front of a word that ends a line and is its answer; so "I cannot CONCUR" does not count.
_LEADS_TO = (".", ":", ";", "!", "?", ")", "]", "=", ">", "→", "—", "–", " -", " is")
_NUMBER = re.compile(r"[+-]?[0-9]{1,4}")
_KEYED_LINE = re.compile(r"[\s*_`>\-•]*(?P<key>[\w-]+)[*_`]*\s*[:=]\s*(?P<answer>\S+)[\s*_`]*")
_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)  # reasoning models print their reasoning first


@dataclass(frozen=True)
class AnswerForm:
    """The possible answers: `words` with the value of each, or without words the numbers `values`."""

    values: tuple[int, ...]
    words: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Reading:
    """The value a reply states, or None and the problem, as a person reads it."""

    value: int | None
    problem: str = ""


def read_answer(text: str, form: AnswerForm, *, cut_off: bool = False) -> Reading:
    """The one answer that the last line of `text` states.

    The last line is the answer alone, or a label such as "Answer:" and the answer; words are in capitals, and may also
    end a longer line ("Both are stated: CONCUR"), as some models write everything in one line. A number without a
    label counts only as the whole reply. `cut_off`: the reply was cut at the limit of tokens. Never raises.
    """
    if cut_off:
        return Reading(None, "was cut off before its end")
    body = _THOUGHTS.sub("", text).strip()
    if not body:
        return Reading(None, "is empty")
    return _read_word(body, form) if form.words else _read_number(body, form)


def read_answers(text: str, forms: Mapping[str, AnswerForm], *, cut_off: bool = False) -> dict[str, Reading]:
    """The answer to each criterion, by its key: in a line "key: answer", or in a JSON object {"key": answer}.

    A criterion without exactly one known answer is unreadable alone; the others count. A reply that ends with a
    JSON object is read by it, else by its lines. Never raises.
    """
    body = _THOUGHTS.sub("", text).strip()
    if cut_off or not body:
        return {key: Reading(None, "was cut off before its end" if cut_off else "is empty") for key in forms}
    stated: dict[str, list[str]] = {key.lower(): [] for key in forms}
    for key, answer in _in_json(body) if body.rstrip("`\n ").endswith("}") else _in_lines(body):
        if (known := stated.get(key.lower())) is not None and answer not in known:
            known.append(answer)
    return {key: _read_one(key, stated[key.lower()], form) for key, form in forms.items()}


def _in_lines(body: str) -> Iterator[tuple[str, str]]:
    for line in body.splitlines():
        if match := _KEYED_LINE.fullmatch(line):
            yield match["key"], match["answer"].strip(MARKUP + ".")


def _in_json(body: str) -> Iterator[tuple[str, str]]:
    """Keys and values of all JSON objects in the text; those of one object that come twice as well."""
    decoder = json.JSONDecoder(object_pairs_hook=list)
    start = body.find("{")
    while start >= 0:
        try:
            pairs, end = decoder.raw_decode(body, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            yield from ((str(key), _plain(value)) for key, value in pairs)
        start = body.find("{", end)


def _plain(value: Any) -> str:
    """A number or word as text; what is neither (true, 1.5, a list) as JSON, which is no known answer."""
    return value.strip() if isinstance(value, str) else json.dumps(value)[:SHOWN]


def _read_one(key: str, stated: Sequence[str], form: AnswerForm) -> Reading:
    if not stated:
        return Reading(None, f"states nothing of {key}")
    if len(stated) > 1:
        return Reading(None, f"holds two answers to {key}: {stated[0][:SHOWN]} and {stated[1][:SHOWN]}")
    (answer,) = stated
    known = dict(form.words) or {str(value): value for value in form.values}
    found = known.get(answer.removeprefix("+"))
    if found is None:
        return Reading(None, f"answers {key} with {answer[:SHOWN]}, which is none of {', '.join(known)}")
    return Reading(found)


def _read_word(body: str, form: AnswerForm) -> Reading:
    values = dict(form.words)
    longest_first = sorted(values, key=len, reverse=True)
    known = re.compile(rf"(?<![^\W_])(?<!-)(?:{'|'.join(map(re.escape, longest_first))})(?![^\W_])(?!-)")
    found = list(dict.fromkeys(known.findall(body)))
    if len(found) > 1:
        return Reading(None, f"holds two answers: {found[0]} and {found[1]}")
    if not found:
        return Reading(None, f"holds none of the answers {', '.join(values)}")
    if found[0] not in (_last_answer(body), _last_word(body)):
        return Reading(None, f"names {found[0]}, but its last line is not the answer: {_last(body)[:SHOWN]}")
    return Reading(values[found[0]])


def _read_number(body: str, form: AnswerForm) -> Reading:
    stated = list(dict.fromkeys(int(number) for number in _LABELLED_NUMBER.findall(body)[:1000] if len(number) < 20))
    if len(stated) > 1:
        return Reading(None, f"holds two answers: {stated[0]} and {stated[1]}")
    answer = _last_answer(body)
    if answer is None or not _NUMBER.fullmatch(answer):
        return Reading(None, f"does not end with an answer: {_last(body)[:SHOWN]}")
    if not stated and len(body.split()) > 1:
        return Reading(None, f"ends with a number that is not called its answer: {_last(body)[:SHOWN]}")
    value = int(answer)
    if value not in form.values:
        return Reading(None, f"answers {value}, which is not on the scale ({join_numbers(form.values)})")
    return Reading(value)


def _last(body: str) -> str:
    return body.splitlines()[-1].strip()


def _last_answer(body: str) -> str | None:
    """The answer in the last line, without label, mark-up and full stop; None where the line has more than that."""
    match = _LAST_LINE.fullmatch(_last(body).strip(MARKUP + "."))
    return match["answer"].strip(MARKUP + ".") if match else None


def _last_word(body: str) -> str | None:
    """The last word of a longer line if a mark that leads to an answer is in front of it; else None."""
    before, _, word = _last(body).strip(MARKUP + ".").rpartition(" ")
    return word.strip(MARKUP) if before.rstrip(MARKUP).endswith(_LEADS_TO) else None


def describe_form(form: AnswerForm) -> str:
    """How an answer must end, for the page that shows a prompt."""
    if form.words:
        return "The reply ends with one of " + ", ".join(f"{word} ({value})" for word, value in form.words) + "."
    return f"The last line is “Answer:” and one of {join_numbers(form.values)}."


def describe_forms(forms: Mapping[str, AnswerForm]) -> str:
    """How an answer must give the values of several criteria."""
    each = "; ".join(
        f"{key}: {', '.join(word for word, _ in form.words) or join_numbers(form.values)}"
        for key, form in forms.items()
    )
    return f"One line “key: answer” for each criterion, or one JSON object at the end. Possible are {each}."


def join_numbers(values: Sequence[int]) -> str:
    return ", ".join(map(str, values))
