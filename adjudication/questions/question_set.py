"""The question set of a collection: rated questions with their final wording, targets and values; what is kept.

A question counts as the verdicts of the newest rubric campaign say that has rated it: what a count of votes decides by
its rules, or a person by hand, as in every other gold. A round that has not come to it yet, or whose votes were never
counted, does not undo the one before: ratings that no count has read decide nothing. A question that no campaign has
rated, but that came with a quality (LitSearch's files do), counts as that file says.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import connection

from accounts.refusals import Reason, Refused
from adjudication.labels.labels import counted_judgments
from adjudication.questions.rating import find_rating, open_counts, rubric_campaigns
from annotation.models import Campaign, Criterion
from corpus.models import Collection
from corpus.questions.authors import withdrawn_topics
from corpus.runs.recipes.queries import Query, TopicSet
from engines.definitions.rubric_options import read_rubric_options
from engines.text.names import document_name
from engines.text.overlap import DEFAULT, word_overlap

KEPT, DISCARDED, UNDECIDED = "kept", "discarded", "undecided"
IMPORTED_LABELS = {0: "Broad", 1: "Specific"}  # of LitSearch's fields (Ajith et al. 2024, Table 1)
IMPORTED_QUALITIES = {0: "Discard", 1: "Acceptable", 2: "Good"}
IMPORTED = ("specificity", "quality")
WITHDRAWN = "withdrawn by its author"

TOPICS = """
SELECT t.id, t.number, t.source, t.title, t.narrative, t.text, t.extra,
  coalesce((SELECT json_agg(json_build_array(d.id, d.docno, d.title, d.abstract, g.source) ORDER BY g.id)
    FROM corpus_target g JOIN corpus_document d ON d.id = g.document_id WHERE g.topic_id = t.id), '[]')::text
FROM corpus_topic t
WHERE t.collection_id = %(collection)s
  AND (t.extra ? 'quality' OR EXISTS (
    SELECT FROM annotation_item i WHERE i.topic_id = t.id AND i.campaign_id = ANY(%(campaigns)s)))
ORDER BY t.position, t.id
"""
# With whether the campaign's votes were ever counted.
ITEMS = """
SELECT id, topic_id, campaign_id, campaign_id IN (SELECT campaign_id FROM adjudication_voterun WHERE state = 'done')
FROM annotation_item WHERE campaign_id = ANY(%(campaigns)s) ORDER BY id
"""
# People's labels that count now, with a reason of those who gave one.
LABELS = """
SELECT i.id, j.criterion_id, j.value, min(j.reason)
FROM annotation_item i
JOIN annotation_assignment a ON a.item_id = i.id AND a.state = 'done' AND a.repeat = 0
JOIN annotation_annotator who ON who.id = a.annotator_id AND who.kind = 'human'
JOIN annotation_judgment j ON j.assignment_id = a.id
WHERE i.campaign_id = ANY(%(campaigns)s)
GROUP BY 1, 2, 3
"""
VERDICTS = """
SELECT v.item_id, v.criterion_id, v.value FROM adjudication_verdict v
JOIN annotation_item i ON i.id = v.item_id
WHERE i.campaign_id = ANY(%(campaigns)s) AND v.value IS NOT NULL
"""
# Rewrites whose submission still counts, and that a second person has confirmed in these words and nobody rejected.
REWRITES = """
SELECT DISTINCT ON (i.id) i.id, r.text
FROM annotation_item i
JOIN annotation_assignment a ON a.item_id = i.id AND a.state = 'done' AND a.repeat = 0
JOIN annotation_rewrite r ON EXISTS (
  SELECT FROM annotation_judgment j WHERE j.assignment_id = a.id AND j.submission_id = r.submission_id)
JOIN LATERAL (
  SELECT bool_or(v.decision = 'confirmed') AS confirmed, bool_or(v.decision = 'rejected') AS rejected
  FROM annotation_rewritereview v JOIN annotation_rewrite same ON same.id = v.rewrite_id
  JOIN annotation_submission s ON s.id = same.submission_id
  WHERE s.assignment_id = a.id AND same.text = r.text
) word ON word.confirmed AND NOT word.rejected
WHERE i.campaign_id = ANY(%(campaigns)s)
ORDER BY i.id, r.id DESC
"""
FOUND = """
SELECT i.id, d.id, d.docno, d.title, d.abstract
FROM annotation_item i
JOIN annotation_assignment a ON a.item_id = i.id AND a.state = 'done' AND a.repeat = 0
JOIN annotation_foundtarget f ON EXISTS (
  SELECT FROM annotation_judgment j WHERE j.assignment_id = a.id AND j.submission_id = f.submission_id)
JOIN corpus_document d ON d.id = f.document_id
WHERE i.campaign_id = ANY(%(campaigns)s)
ORDER BY i.id, f.id
"""


@dataclass(frozen=True, slots=True)
class SetTarget:
    """A document that answers a question. `is_found`: named by a rater, not by where the question comes from."""

    docno: str
    title: str
    abstract: str
    source: str
    is_found: bool

    @property
    def name(self) -> str:
        return document_name(self.title, self.abstract, self.docno)


@dataclass(frozen=True, slots=True)
class SetQuestion:
    """A question of the set. `text` is the wording that holds, `original` the first one ("" where it holds still).

    `subset` names where it comes from (LitSearch's query_set, else the source). `group` and `quality` are the values on
    the splitting and the deciding criterion, None where nothing decides; `state` is kept, discarded or undecided.
    """

    pk: int
    number: str
    subset: str
    source: str
    text: str
    state: str
    targets: tuple[SetTarget, ...]
    original: str = ""
    group: int | None = None
    group_label: str = ""
    quality: int | None = None
    reason: str = ""
    campaign: str = ""
    definition: str = DEFAULT
    title: str = ""
    narrative: str = ""

    @property
    def words(self) -> int:
        """Length in words, as white space parts them."""
        return len(self.text.split())

    @property
    def overlap(self) -> float | None:
        """Share of its words in titles and abstracts of its targets (Ajith et al. 2024, Table 2), by the definition."""
        texts = [text for target in self.targets for text in (target.title, target.abstract)]
        return word_overlap(self.text, texts, self.definition)


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """All questions in the collection's order, and the labels of the splitting criterion's levels by value.

    `qualities` are those of the deciding criterion's levels; of imported ratings, where no campaign names them,
    those of LitSearch, and "" for other values.
    `definition` is the way of counting word overlap that all its campaigns share; the usual one where they differ.
    """

    questions: tuple[SetQuestion, ...]
    groups: dict[int, str]
    campaigns: tuple[Campaign, ...]
    definition: str = DEFAULT
    qualities: dict[int, str] = field(default_factory=dict)

    def in_state(self, state: str) -> list[SetQuestion]:
        return [question for question in self.questions if question.state == state]

    @property
    def kept(self) -> list[SetQuestion]:
        return self.in_state(KEPT)


@dataclass(frozen=True, slots=True)
class _Rule:
    """How a campaign's values decide: the two criteria with their labels by value, the least value of what is kept."""

    keep: Criterion
    group: Criterion
    keep_from: int
    labels: dict[int, str]
    qualities: dict[int, str]


def fetch_question_set(collection: Collection, campaign: str = "") -> QuestionSet:
    """The set by all rubric campaigns, or by the one of this short name alone, with the questions that came rated.

    Eight queries, whatever its size.

    A question that its author has withdrawn is discarded, however it was rated.

    Errors: Refused for a campaign that there is not.
    """
    campaigns = [find_rating(collection, campaign)] if campaign else rubric_campaigns(collection)
    rules = {each.pk: _rule(each) for each in campaigns}
    named = {"collection": collection.pk, "campaigns": list(rules)}
    definition = _shared_definition(campaigns)
    ratings = _Ratings(named, rules, {each.pk: each.slug for each in campaigns}, definition)
    rows = [_decoded(row) for row in _rows(TOPICS, named)]
    if campaign:
        rows = [row for row in rows if row[0] in ratings.item_of or _came_rated(row)]
    withdrawn = set(withdrawn_topics(collection).values_list("pk", flat=True))
    rated = (_question(row, ratings) for row in rows)
    questions = tuple(
        replace(each, state=DISCARDED, reason=WITHDRAWN) if each.pk in withdrawn else each for each in rated
    )
    groups, qualities = _groups(rules.values(), questions), _qualities(rules.values(), questions)
    return QuestionSet(questions, groups, tuple(campaigns), definition, qualities)


def _shared_definition(campaigns: Sequence[Campaign]) -> str:
    named = {read_rubric_options(each.options).overlap_definition for each in campaigns}
    return named.pop() if len(named) == 1 else DEFAULT


def deciding_open_counts(found: QuestionSet) -> list[tuple[Campaign, str]]:
    """Those of `open_counts` by which a question of the set could change: not those of a campaign that has rated only
    what other campaigns have decided."""
    decided = {each.pk: each.campaign for each in found.questions if each.state != UNDECIDED}
    withdrawn = {each.pk for each in found.questions if each.reason == WITHDRAWN}

    def could_decide(campaign: Campaign) -> bool:
        topics = set(counted_judgments(campaign).values_list("assignment__item__topic", flat=True).distinct())
        return any(decided.get(topic, campaign.slug) == campaign.slug for topic in topics - withdrawn)

    return [(campaign, fact) for campaign, fact in open_counts(found.campaigns) if could_decide(campaign)]


def check_counted(found: QuestionSet) -> None:
    """Refuse what would be made of questions that are kept by another count than one of today's ratings."""
    if open_ones := deciding_open_counts(found):
        facts = " ".join(fact for _, fact in open_ones)
        first, _ = open_ones[0]
        where = ("Count the votes", "adjudication_screen", first.collection.slug, first.slug)
        raise Refused(Reason(f"It is not known which questions are kept. {facts} Count them first.", *where))


def _queries(collection: Collection, _: str) -> Iterator[Query]:
    """All questions, whatever was decided about them: which documents a run has must not say who is kept."""
    return (Query(each.number, each.text, each.pk) for each in fetch_question_set(collection).questions)


def _are_rated(collection: Collection) -> bool:
    return bool(rubric_campaigns(collection))


QUESTION_TOPICS = TopicSet("questions of the question set, as they are worded now", _queries, _are_rated)


def _groups(rules: Iterable[_Rule], questions: Sequence[SetQuestion]) -> dict[int, str]:
    """Labels of the levels that split the set: those of the rubrics (else LitSearch's), and whatever else occurs."""
    labels = {value: label for rule in rules for value, label in rule.labels.items()} or dict(IMPORTED_LABELS)
    for question in questions:
        if question.group is not None:
            labels.setdefault(question.group, question.group_label or str(question.group))
    return dict(sorted(labels.items()))


def _qualities(rules: Iterable[_Rule], questions: Sequence[SetQuestion]) -> dict[int, str]:
    """Labels of the levels that decide, the highest first: those of the rubrics (else LitSearch's), and what occurs."""
    found = {each.quality for each in questions if each.quality is not None}
    labels = {quality: IMPORTED_QUALITIES.get(quality, "") for quality in found}
    labels |= {value: label for rule in rules for value, label in rule.qualities.items()}
    return dict(sorted(labels.items(), reverse=True))


class _Ratings:
    """Everything that campaigns say about topics, looked up by item."""

    def __init__(self, named: dict[str, Any], rules: dict[int, _Rule], slugs: dict[int, str], definition: str) -> None:
        self.rules, self.slugs, self.definition = rules, slugs, definition
        rows = _rows(LABELS, named)
        self.reasons = {(item, criterion, value): reason for item, criterion, value, reason in rows}
        self.verdicts = {(item, criterion): value for item, criterion, value in _rows(VERDICTS, named)}
        self.rated = {row[0] for row in rows} | {item for item, _ in self.verdicts}
        self.item_of = self._items(_rows(ITEMS, named))
        self.rewrites = dict(_rows(REWRITES, named))
        self.found: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
        for item, *document in _rows(FOUND, named):
            self.found[item].append(tuple(document))

    def _items(self, rows: Iterable[tuple[int, int, int, bool]]) -> dict[int, tuple[int, int]]:
        """The item and campaign that each topic goes by, from all of them, oldest first.

        Rated where votes are counted goes before rated where they never were, and that before not rated.
        """
        chosen: dict[int, tuple[int, int]] = {}
        ranks: dict[int, int] = {}
        for item, topic, campaign, is_counted in rows:
            rank = (item in self.rated) * (1 + is_counted)
            if rank >= ranks.get(topic, 0):
                chosen[topic], ranks[topic] = (item, campaign), rank
        return chosen

    def has_any(self, topic: int) -> bool:
        """Whether anybody has rated the topic, or decided about it."""
        return topic in self.item_of and self.item_of[topic][0] in self.rated

    def value(self, item: int, criterion: Criterion) -> int | None:
        """Its verdict."""
        return self.verdicts.get((item, criterion.pk))

    def reason(self, item: int, criterion: Criterion, value: int | None) -> str:
        """Why a person gave this value, where one said so."""
        return self.reasons.get((item, criterion.pk, value), "") if value is not None else ""


def _rule(campaign: Campaign) -> _Rule:
    """The criteria that decide and split; a campaign always has at least one."""
    options = read_rubric_options(campaign.options)
    criteria = list(campaign.criteria.prefetch_related("levels"))
    keep = next((each for each in criteria if each.key == options.keep), criteria[-1])
    group = next((each for each in criteria if each.key == options.group), criteria[0])
    labels, qualities = ({level.value: level.label for level in each.levels.all()} for each in (group, keep))
    return _Rule(keep, group, options.keep_from, labels, qualities)


def _question(row: tuple[Any, ...], ratings: _Ratings) -> SetQuestion:
    pk, number, source, title, narrative, text, extra, targets = row
    known = [SetTarget(docno, title, abstract, where, is_found=False) for _, docno, title, abstract, where in targets]
    subset = extra.get("query_set") if isinstance(extra.get("query_set"), str) else ""
    facts: dict[str, Any] = {"pk": pk, "number": number, "subset": subset or source, "source": source}
    facts |= {"title": "" if title == text else title, "narrative": narrative, "definition": ratings.definition}
    if _came_rated(row) and not ratings.has_any(pk):
        return _as_imported(facts, text, extra, known)
    item, campaign = ratings.item_of[pk]
    rule = ratings.rules[campaign]
    quality, group = ratings.value(item, rule.keep), ratings.value(item, rule.group)
    wording = ratings.rewrites.get(item, text)
    ids = {document for document, *_ in targets}
    for document, docno, title, abstract in ratings.found[item]:
        if document not in ids:
            ids.add(document)
            known.append(SetTarget(docno, title, abstract, "", is_found=True))
    return SetQuestion(
        **facts,
        text=wording,
        original=text if wording != text else "",
        group=group,
        group_label=rule.labels.get(group, "") if group is not None else "",
        quality=quality,
        reason=ratings.reason(item, rule.keep, quality),
        state=_state(quality, group, rule.keep_from),
        targets=tuple(known),
        campaign=ratings.slugs[campaign],
    )


def _came_rated(row: tuple[Any, ...]) -> bool:
    """Whether the topic was imported with a quality."""
    return "quality" in row[-2]


def _as_imported(facts: dict[str, Any], text: str, extra: dict[str, Any], targets: Sequence[SetTarget]) -> SetQuestion:
    group, quality = (extra.get(name) if type(extra.get(name)) is int else None for name in IMPORTED)
    return SetQuestion(
        **facts,
        text=text,
        group=group,
        group_label="" if group is None else IMPORTED_LABELS.get(group, ""),
        quality=quality,
        state=_state(quality, group, 1),
        targets=tuple(targets),
    )


def _state(quality: int | None, group: int | None, keep_from: int) -> str:
    """A discard needs nothing else; what is kept needs both values."""
    if quality is not None and quality < keep_from:
        return DISCARDED
    return UNDECIDED if quality is None or group is None else KEPT


def _rows(statement: str, named: dict[str, Any]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement, named)
        return list(cursor.fetchall())


def _decoded(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """JSON of the database, which the cursor leaves as text."""
    *facts, extra, targets = row
    return (*facts, json.loads(extra) if isinstance(extra, str) else extra, json.loads(targets))
