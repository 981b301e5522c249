"""Citation contexts as files: topics and qrels by the rules of ACM-CR, one XML and one sheet of DOIs for each paper.

Paragraph topics are numbered by paper and context; sentence topics by paper and a running number over all of them. The
running number begins at 0, or where it was asked to, and starts again from a paper that has its own number.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from adjudication.exporting.exporter import FATAL, WARNING, Finding, Options
from adjudication.exporting.forms import PARAGRAPH
from adjudication.papers.papers import REOPENED, paper_rows
from annotation.papers.gold import (
    ADJUDICATED,
    AGREED,
    ALONE,
    DISAGREED,
    DRAFT,
    IMPORTED,
    MACHINE,
    NOTHING,
    ORIGINS,
    GoldPaper,
    gold_of,
    gold_papers,
)
from corpus.models import Document, Paper
from engines.formats.acm_cr import DoisLine, write_acm_cr, write_dois
from engines.formats.acm_cr_topics import paragraph_topics, sentence_topics
from engines.formats.records import MAX_TOPIC_LENGTH, QrelRow, TopicRecord, id_problem

ContextTopics = tuple[TopicRecord, list[QrelRow]]

MOST_EXAMPLES = 3
SHEET_OF_NONE = "N/A"  # what a sheet says of a reference without an address


def context_topic_records(options: Options) -> Iterator[ContextTopics]:
    """The topics of the level with their qrels, paper by paper."""
    given = gold_papers(options.collection, drafts=options["drafts"])
    if options.level == PARAGRAPH:
        for each in given:
            yield from paragraph_topics([each.annotated], each.docnos)
        return
    first_number = options["first_number"]
    running = first_number or 0
    for each in given:
        own = each.gold.paper.first_sentence_number
        if first_number is None and own is not None:
            running = own
        for pair in sentence_topics([each.annotated], each.docnos, first_number=running):
            running += 1
            yield pair


def context_files(options: Options) -> Iterator[tuple[str, Iterable[str]]]:
    """(name, lines) of an XML and a sheet for each paper."""
    taken: set[str] = set()
    for each in gold_papers(options.collection, drafts=options["drafts"]):
        stem = _stem(each.gold.paper.key, taken)
        yield f"{stem}.xml", write_acm_cr(each.annotated)
        yield f"{stem}.dois", write_dois(_sheet(each))


def _sheet(each: GoldPaper) -> Iterator[DoisLine]:
    """The references as the annotators' sheet has them, with its notes: `-` before what lies outside the collection."""
    notes = each.gold.paper.reference_notes
    for number, value in each.annotated.references.items():
        inside = value is not None and value in each.docnos
        words, note = (value or "").split(), notes.get(number, "")
        if len(words) == 1:
            yield DoisLine(number, words[0], note, not inside)
        else:
            yield DoisLine(number, SHEET_OF_NONE, " ".join([*words, note]).strip(), outside=True)


def _stem(key: str, taken: set[str]) -> str:
    """The last part of a key as a file name, the whole key where that is taken."""
    for text in (key.rpartition("/")[2], key):
        name = "".join(sign if sign.isalnum() or sign in "-_.()" else "_" for sign in text).lstrip(".") or "paper"
        if name not in taken:
            break
    while name in taken:
        name += "_"
    taken.add(name)
    return name


# --- what stands in the way -------------------------------------------------------------------------------------------


def context_findings(options: Options, memo: dict[Any, Any]) -> list[Finding]:
    """(severity, code, text, count) of everything to say about the export; what counts of each paper is read once for
    each memo."""
    key = ("golds", options.collection.pk, options["drafts"])
    if key not in memo:
        every = gold_of(options.collection, drafts=options["drafts"])
        memo[key] = Counter((gold.status, gold.origin) for gold in every)
    golds: Counter[tuple[str, str]] = memo[key]
    states: Counter[str] = Counter()
    sources: Counter[str] = Counter()
    for (status, origin), count in golds.items():
        states[status] += count
        sources[origin] += count
    found = _of_states(states, options)
    if not found or not found[0].is_fatal:
        found += _of_topics_once(options, memo) + _of_names(options) if options["level"] else []
        found += _of_papers(options) + _of_sources(sources) + _of_newer(options)
    return found


def _of_states(states: Counter[str], options: Options) -> list[Finding]:
    if not states:
        return [Finding(FATAL, "no-papers", "The collection has no papers.", advice="Import them first.")]
    waiting = states[MACHINE] + states[DRAFT]
    if not options["drafts"] and states.total() == waiting + states[NOTHING] + states[DISAGREED]:
        advice = options.advise("", ("drafts", "1")) if waiting else ""
        return [Finding(FATAL, "nothing-confirmed", "No paper has been confirmed yet.", waiting, advice=advice)]
    found = []
    if waiting:
        state = "not confirmed yet and marked so" if options["drafts"] else "left out: not confirmed yet"
        found.append(Finding(WARNING, "drafts", f"{_papers(waiting)} {_are(waiting)} {state}.", waiting))
    if states[DISAGREED]:
        count = states[DISAGREED]
        verb = f"{_are(count)} left out: {'its' if count == 1 else 'their'} annotators differ"
        advice = "What is accepted in adjudication is written."
        found.append(Finding(WARNING, "disagreed", f"{_papers(count)} {verb}.", count, advice=advice))
    if states[NOTHING]:
        count = states[NOTHING]
        text = f"{_papers(count)} {_are(count)} left out: nothing was extracted."
        found.append(Finding(WARNING, "nothing-extracted", text, states[NOTHING]))
    return found


def _of_topics_once(options: Options, memo: dict[Any, Any]) -> list[Finding]:
    """Topics and qrels of a level have the same numbers: they are looked at once for each memo."""
    key = ("context topics", options.collection.pk, options.level, options["drafts"], options["first_number"])
    if key not in memo:
        memo[key] = _of_topics(options)
    found: list[Finding] = memo[key]
    return found


def _of_topics(options: Options) -> list[Finding]:
    """Numbers that two papers share, or that cannot be written; numbers that one paper has twice."""
    owners: dict[str, str] = {}
    shared, bad, twice = set[str](), set[str](), set[str]()
    for topic, _ in context_topic_records(options):
        if id_problem(topic.number, MAX_TOPIC_LENGTH):
            bad.add(topic.number[:40])
        if topic.number in owners:
            (twice if owners[topic.number] == topic.file else shared).add(topic.number)
        owners.setdefault(topic.number, topic.file)
    found = []
    if not owners:
        text = "No context cites a document of the collection, so there is no topic."
        found.append(Finding(FATAL, "no-topics", text, 0))
    if shared:
        fact, advice = f"Two papers would give topics the same number ({_some(shared)}).", "Give them other DOIs."
        found.append(Finding(FATAL, "shared-numbers", fact, len(shared), advice=advice))
    if twice:
        text = (
            f"A paper has two contexts of one number ({_some(twice)}): two topics share it, their judgments are merged."
        )
        found.append(Finding(WARNING, "repeated-numbers", text, len(twice)))
    if bad:
        found.append(Finding(FATAL, "bad-numbers", f"Numbers of topics cannot be written: {_some(bad)}.", len(bad)))
    return found


def _of_names(options: Options) -> list[Finding]:
    """Papers without a DOI, of which numbers of topics are made."""
    named = Paper.objects.filter(collection=options.collection, doi="").exclude(key__startswith="10.")
    names = set(named.values_list("key", flat=True))
    if not names:
        return []
    whose = "it is" if len(names) == 1 else "they are"
    text = f"{_papers(len(names))} {'has' if len(names) == 1 else 'have'} no DOI, of which numbers of topics are made: "
    text += f"{whose} numbered by file name ({_some(names)}). State DOIs first: numbers change with them."
    return [Finding(WARNING, "no-doi", text, len(names))]


def _of_papers(options: Options) -> list[Finding]:
    keys = Paper.objects.filter(collection=options.collection).values("key")
    inside = Document.objects.filter(collection=options.collection, docno__in=keys).count()
    if not inside:
        return []
    what = "a document" if inside == 1 else "documents"
    text = f"{_papers(inside)} {_are(inside)} {what} of the collection as well, left out of it: nothing is cited so."
    return [Finding(WARNING, "papers-inside", text, inside)]


def source_words(sources: Mapping[str, int]) -> list[tuple[int, str]]:
    """How many papers are written as what, in words, most trusted first; what is left out is not among them."""
    words = {
        ADJUDICATED: "adjudicated",
        AGREED: "as several annotators agree",
        ALONE: "as one annotator finished them",
        IMPORTED: "as imported gold",
        DRAFT: "as started by someone",
        MACHINE: "as the machine proposes",
    }
    return [(sources[name], words_used) for name, words_used in words.items() if sources.get(name)]


def _of_sources(sources: Mapping[str, int]) -> list[Finding]:
    """What the export is made of, where people worked on papers: gold as it came in needs no words."""
    written = {name: count for name, count in sources.items() if name in ORIGINS}
    if not written.keys() - {IMPORTED}:
        return []
    listed = ", ".join(f"{count:,} {words}" for count, words in source_words(written))
    return [Finding(WARNING, "sources", f"Papers finished by people: {listed}.", sum(written.values()))]


def _of_newer(options: Options) -> list[Finding]:
    """Adjudicated papers of which an annotator has handed in a newer version since."""
    campaigns = options.collection.campaigns.filter(extractions__isnull=False).distinct()
    count = sum(row.state == REOPENED for row in paper_rows(*campaigns))
    if not count:
        return []
    verb = "has" if count == 1 else "have"
    text = f"{_papers(count)} that {verb} been adjudicated {verb} a newer version. What was accepted is written."
    return [Finding(WARNING, "newer-versions", text, count)]


def _papers(count: int) -> str:
    return f"{count:,} {'paper' if count == 1 else 'papers'}"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _some(numbers: Iterable[str]) -> str:
    found = sorted(numbers)
    return ", ".join(found[:MOST_EXAMPLES]) + (" …" if len(found) > MOST_EXAMPLES else "")
