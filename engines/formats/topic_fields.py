"""Which field of a topic is its number, its text, its title and its narrative, whatever a file calls them.

Tables, XML, tagged TREC topics and JSON differ in how fields are written, not in what they are called. A reader
gathers the named fields of a topic; `topic_from` makes the record. The text is the first of `TEXT_ORDER` that is there,
or the field that the caller names (`text_from`); the title is a title, a topic or a query that is not the text. All
other fields stay in `extra` under their own names, and so do further fields of a name that came already.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from engines.formats.json_fields import FieldError, is_id
from engines.formats.layouts import optional, required
from engines.formats.records import MAX_TOPIC_LENGTH, AspectRecord, TopicRecord, id_problem, is_plain_id

# What a field is, and the names it has in files, the clearest first. Case, blanks and hyphens do not matter, nor
# does a language before a hyphen, as in CLEF's <EN-title>.
NUMBER = (
    *("number", "_id", "id", "query_id", "qid", "num", "topic_id", "topicid", "queryid", "topic_number", "topic_no"),
    *("query_number", "query_no", "question_id", "questionid", "topic_num", "identifier", "tid"),
)
NAMES: dict[str, tuple[str, ...]] = {
    "text": ("text", "query_text", "query_txt", "topic_text", "question_text"),
    "question": ("question",),
    "description": ("description", "desc", "topic_description"),
    "query": ("query", "content", "contents"),
    "topic": ("topic",),
    "title": ("title", "topic_title"),
    "narrative": ("narrative", "narr", "topic_narrative"),
}
TEXT_ORDER = tuple(NAMES)
TITLE_ORDER = ("title", "topic", "query")
_ID_ENDS = ("id", "ids", "url", "uri", "doi", "docno")
_DOCUMENT = ("docid", "url")  # of a topic that is a document, as in background linking
# Two of these are of a publication.
_PUBLISHED = frozenset(
    {"abstract", "author", "authors", "doi", "journal", "container_title", "issued", "venue", "year"}
)
_MEANING = {name: meaning for meaning, names in NAMES.items() for name in names}
_RANK = {name: place for names in (NUMBER, *NAMES.values()) for place, name in enumerate(names)}
_GAPS = re.compile(r"[\s.-]+")
_LANGUAGE = re.compile(r"[a-z]{2}-(?=[a-z])")
MAX_CHARS = 1 << 20  # of a topic: title, text and narrative

# For the help of formats.
FIELDS_READ = (
    required(NUMBER, "the topic's number or name, unique in the collection"),
    required(
        (*NAMES["text"], *NAMES["question"], *NAMES["description"]),
        "what is searched for, the first of these; without any, the query, topic or title; you can choose another",
    ),
    optional((*NAMES["query"], *NAMES["topic"]), "the title where another field is the text and none is called title"),
    optional(NAMES["title"], "short title"),
    optional(NAMES["narrative"], "what counts as relevant"),
)

HOW_TO_CHOOSE = "choose the one that becomes the text with “Text from”"


@lru_cache(4096)
def plain_name(name: str) -> str:
    """A field's name as it is compared: `EN-title` is title, `Query ID` is query_id."""
    return _GAPS.sub("_", _LANGUAGE.sub("", name.strip().lower(), count=1))


def is_number_name(name: str) -> bool:
    """Whether a field of this name holds a topic's number; `topic` does where nothing else does."""
    return plain_name(name) in NUMBER


@lru_cache(1024)
def is_id_name(name: str) -> bool:
    """Whether a field of this name holds an id or an address: no text to search for, unless somebody says so."""
    return is_number_name(name) or plain_name(name).endswith(_ID_ENDS)


def is_published(names: Iterable[str]) -> bool:
    """Whether what has these fields is a publication, and hence a document."""
    return len(_PUBLISHED.intersection(map(plain_name, names))) > 1


def meaning_of(name: str) -> str:
    """What a field of this name is: a key of `NAMES`, or ""."""
    return _MEANING.get(plain_name(name), "")


def is_text_name(name: str) -> bool:
    """Whether a field of this name may become the text."""
    return plain_name(name) in _MEANING


def is_header(cells: Iterable[str]) -> bool:
    """Whether a row names columns of topics: one of them an id, another one a text."""
    plain = [plain_name(cell.lstrip("#")) for cell in cells]
    ids = [name for name in plain if is_number_name(name)] or [name for name in plain if name == "topic"]
    return bool(ids) and any(is_text_name(name) for name in plain if name not in ids)


def document_among(fields: Iterable[str]) -> str:
    """The field that names the document which a topic is, where none of the fields is a text; else ""."""
    names = list(fields)
    return "" if any(map(is_text_name, names)) else next((name for name in names if plain_name(name) in _DOCUMENT), "")


def gathered(pairs: Iterable[tuple[str, Any]]) -> tuple[dict[str, Any], dict[str, list[Any]]]:
    """The first value of each name, and the further ones of names that occur again; empty values are left out."""
    fields: dict[str, Any] = {}
    more: dict[str, list[Any]] = {}
    for name, value in pairs:
        if value in ("", {}, []):
            continue
        if name in fields:
            more.setdefault(name, []).append(value)
        else:
            fields[name] = value
    return fields, more


def topic_from(
    fields: Mapping[str, Any],
    file: str,
    line: int,
    *,
    text_from: str = "",
    more: Mapping[str, list[Any]] | None = None,
    aspects: tuple[AspectRecord, ...] = (),
    **known: Any,
) -> TopicRecord:
    """The topic that these fields make. `text_from` is the name of the field that becomes its text, or several names
    with commas between; `more` are further values of names; `known` are other arguments of `TopicRecord`.

    Raises `FieldError` with the reason where it has no number, no text or too much of it.
    """
    plan = _plan(tuple(fields))
    if plan.plain and not (text_from or more or aspects or known) and (found := _plain_topic(fields, file, line, plan)):
        return found
    rest = dict(fields)
    number = _take_number(rest, plan)
    meanings = _take_empty_texts(rest, plan)
    chosen = _chosen(rest, meanings, number, text_from)
    text = "\n".join([_text(rest[name], name) for name in chosen])
    title_from = _title_from(fields, meanings, chosen)
    title = rest[title_from] if title_from else ""
    narrative_from = meanings.get("narrative", "")
    if not narrative_from or not _is_text(fields[narrative_from]) or narrative_from in chosen:
        narrative_from = ""
    narrative = _text(rest[narrative_from], narrative_from) if narrative_from else ""
    if (size := len(title) + len(text) + len(narrative)) > MAX_CHARS:
        raise FieldError(f"topic {number} has {size:,} characters; at most {MAX_CHARS:,} are allowed")
    for name in (*chosen, title_from, narrative_from):
        rest.pop(name, None)
    extra = _with_more(rest, more) if more else rest
    known["text_from"], known["title_from"] = ", ".join(chosen), title_from
    return TopicRecord(number, title, text, narrative, file=file, line=line, aspects=aspects, extra=extra, **known)


def _plain_topic(fields: Mapping[str, Any], file: str, line: int, plan: _Plan) -> TopicRecord | None:
    """The topic whose fields are all there and texts, as in most files: what `topic_from` makes of it, in less time."""
    id_name, text_name, title_name, narrative_name = plan.plain
    for name in plan.used:
        if type(fields[name]) is not str or not fields[name]:
            return None
    number, text = fields[id_name], fields[text_name]
    title, narrative = title_name and fields[title_name], narrative_name and fields[narrative_name]
    if len(number) > MAX_TOPIC_LENGTH or not is_plain_id(number) or text.isspace():
        return None
    if len(title) + len(text) + len(narrative) > MAX_CHARS:
        return None
    extra = {name: fields[name] for name in plan.others}
    return TopicRecord(number, title, text, narrative, "", "", (), (), file, line, (), extra, "", text_name, title_name)


def _title_from(fields: Mapping[str, Any], meanings: Mapping[str, str], chosen: list[str]) -> str:
    """The field that is the title, or "". A file of titles alone has them as titles too, as TREC's short topics are
    known by them."""
    for meaning in TITLE_ORDER:
        name = meanings.get(meaning)
        if name and isinstance(fields[name], str) and (name not in chosen or plain_name(name) in NAMES["title"]):
            return name
    return ""


class _Plan(NamedTuple):
    """What fields of these names are: those that may hold the number, in order; those of each meaning, in order; all of
    a meaning; and {meaning: the one that has it where none is empty}.

    `plain` are the fields of number, text, title and narrative where all are there, "" for none, `used` those and the
    further fields of their meanings, and `others` all but `plain`; () where the number is a text as well.
    """

    numbers: tuple[str, ...]
    meanings: tuple[tuple[str, tuple[str, ...]], ...]
    texts: tuple[str, ...]
    clearest: Mapping[str, str]
    plain: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


@lru_cache(1024)
def _plan(names: tuple[str, ...]) -> _Plan:
    """The plan for records with these fields: all records of a file have the same ones, or nearly so."""
    ranked = sorted(names, key=lambda name: _RANK.get(plain_name(name), 0))
    numbers = [name for name in ranked if is_number_name(name)] + [
        name for name in ranked if meaning_of(name) == "topic"
    ]
    found = ((meaning, tuple(name for name in ranked if meaning_of(name) == meaning)) for meaning in NAMES)
    meanings = tuple((meaning, those) for meaning, those in found if those)
    texts = tuple(name for _, those in meanings for name in those)
    plan = _Plan(tuple(numbers), meanings, texts, {meaning: those[0] for meaning, those in meanings})
    if not numbers or not texts or numbers[0] in texts or plan.clearest.keys() == {"narrative"}:
        return plan
    text = next(iter(plan.clearest.values()))
    title = _title_from(dict.fromkeys(names, ""), plan.clearest, [text])
    plain = (numbers[0], text, title, plan.clearest.get("narrative", ""))
    others = tuple(name for name in names if name not in plain)
    return plan._replace(plain=plain, used=tuple(dict.fromkeys((numbers[0], *texts))), others=others)


def _take_number(fields: dict[str, Any], plan: _Plan) -> str:
    """Remove and return the number. A `topic` that is a word or a whole number is one where nothing else is."""
    for name in plan.numbers:
        value = fields.pop(name)
        if value in (None, ""):
            continue
        if not is_id(value):
            raise FieldError(f"the id under {name!r} is neither text nor a whole number")
        if reason := id_problem(str(value), MAX_TOPIC_LENGTH):
            raise FieldError(reason)
        return str(value)
    raise FieldError(f"the topic has no number (a field such as {', '.join(NUMBER[:5])})")


def _take_empty_texts(fields: dict[str, Any], plan: _Plan) -> Mapping[str, str]:
    """{meaning: the field that has it}; of several, the one with the clearest name. Empty ones are removed."""
    if all(map(fields.get, plan.texts)):
        return plan.clearest
    found: dict[str, str] = {}
    for meaning, names in plan.meanings:
        for name in names:
            if name not in fields:
                continue
            if fields[name] in (None, ""):
                del fields[name]
            else:
                found.setdefault(meaning, name)
    return found


def _chosen(fields: Mapping[str, Any], meanings: Mapping[str, str], number: str, text_from: str) -> list[str]:
    """The names of the fields that become the text."""
    if text_from and (wanted := [name.strip() for name in text_from.split(",") if name.strip()]):
        return [_named(fields, meanings, number, name) for name in wanted]
    for name in meanings.values():  # in the order of TEXT_ORDER
        if not (text := _text(fields[name], name)).isspace() and text:
            return [name]
    if texts := texts_among(fields):
        some = ", ".join(texts[:10])
        raise FieldError(f"topic {number} has no text under a known name; it has {some}: {HOW_TO_CHOOSE}")
    raise FieldError(f"topic {number} has no text")


def _named(fields: Mapping[str, Any], meanings: Mapping[str, str], number: str, wanted: str) -> str:
    """The field that the caller names: by its own name, or by what it is."""
    plain = plain_name(wanted)
    names = (name for name in fields if name == wanted or plain_name(name) == plain)
    name = next(names, meanings.get(_MEANING.get(plain, ""), ""))
    if not name or not isinstance(fields[name], str) or not fields[name].strip():
        some = ", ".join(texts_among(fields)[:10])
        reason = f"topic {number} has no text {wanted[:40]!r}"
        raise FieldError(f"{reason}; it has {some}: {HOW_TO_CHOOSE}" if some else reason)
    return name


def texts_among(fields: Mapping[str, Any]) -> list[str]:
    """The names of the fields that hold a text, without those of ids."""
    texts = (name for name, value in fields.items() if isinstance(value, str) and value.strip())
    return [name for name in texts if not is_id_name(name)]


def fields_offered(reason: str) -> list[str]:
    """The fields to choose from that a reason of this module names."""
    found = re.search(rf"; it has (.+): {HOW_TO_CHOOSE}$", reason)
    return found[1].split(", ") if found else []


def _is_text(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(part, str) for part in value))


def _text(value: Any, name: str) -> str:
    """A value as text: a list of texts is joined by blanks, a number is written out. Errors: FieldError."""
    if isinstance(value, str):
        return value
    if _is_text(value):
        return " ".join(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise FieldError(f"{name!r} is not text")


def _with_more(rest: dict[str, Any], more: Mapping[str, list[Any]]) -> dict[str, Any]:
    """What is left over, with the further values of names; one that stands alone is no list."""
    for name, values in more.items():
        every = [rest[name], *values] if name in rest else values
        rest[name] = every[0] if len(every) == 1 else every
    return rest
