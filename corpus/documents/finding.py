"""Documents found: full-text search, browsing in the order of docnos, one document with the topics that name it.

Nothing here grows with the collection: a search ranks at most `MOST_RANKED` matches, browsing goes on from the last
docno of the page before, and counts stop at a limit.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.db import connection
from django.db.models import Q, QuerySet
from django.db.models.expressions import RawSQL

from accounts.jobs import with_live_progress
from accounts.models import JobState
from corpus.models import Collection, Document, FullText, Indexing, Topic
from engines.text.highlight import fragments, highlight_spans, highlight_terms
from engines.text.languages import ENGLISH
from engines.text.names import OPENING, document_name
from engines.text.scripts import find_pictures, plain, stands_alone
from engines.text.words import term_spans

MOST_RANKED = 10_000  # matches that are ranked; the page says so when there are more
COUNT_LIMIT = 250_000
HIT_START, HIT_END = "\ue000", "\ue001"  # private characters around a hit, taken out of the texts beforehand
_MARKS = f"StartSel={HIT_START}, StopSel={HIT_END}"
_TITLE_OPTIONS = f"HighlightAll=true, {_MARKS}"
_ABSTRACT_OPTIONS = f'MaxFragments=2, MinWords=16, MaxWords=38, FragmentDelimiter=" … ", {_MARKS}'
_HEADLINED = 20_000  # characters of an abstract in which hits are shown
MOST_FRAGMENTS, FRAGMENT = 2, 100  # pieces of an abstract in another language, and characters on either side of a hit

# The shown fields of the documents in `best` (id, rank, matches), with the words of `any_word` lit in English texts.
# Others are lit by `in_other_language`: PostgreSQL's parser cuts them poorly (corpus/migrations/_languages.py).
HEADLINE = """
SELECT d.id, d.docno, d.venue, d.year, d.authors, best.matches,
  CASE %(language)s WHEN 'en' THEN ts_headline('english', translate(d.title, %(marks)s, ''), lit, %(title_options)s)
    ELSE translate(d.title, %(marks)s, '') END,
  CASE %(language)s WHEN 'en' THEN
    ts_headline('english', translate(left(d.abstract, %(headlined)s), %(marks)s, ''), lit, %(abstract_options)s)
    ELSE translate(left(d.abstract, %(headlined)s), %(marks)s, '') END,
  left(d.abstract, %(opening)s)
FROM best JOIN corpus_document d USING (id), any_word
ORDER BY best.rank DESC, d.id
"""
# `any_word`: hits are lit word by word, also where no passage holds them all; words that must be absent are no hits.
SEARCH = (
    """
WITH candidates AS MATERIALIZED (
  SELECT e.document_id AS id, e.vector FROM corpus_searchentry e {filters}
  WHERE e.collection_id = %(collection)s AND e.vector @@ corpus_search_query(%(language)s, %(text)s)
  LIMIT %(most)s + 1
), best AS (
  SELECT id, ts_rank(vector, corpus_search_query(%(language)s, %(text)s), 1) AS rank,
    (SELECT count(*) FROM candidates) AS matches
  FROM candidates ORDER BY rank DESC, id LIMIT %(size)s OFFSET %(offset)s
), any_word (lit) AS (
  SELECT regexp_replace(querytree(corpus_search_query(%(language)s, %(text)s)), '&|<->|<[0-9]+>', '|', 'g')::tsquery
)
"""
    + HEADLINE
)


# Each filter as SQL and as a look-up.
CONDITIONS = {
    "year_from": ("d.year >= %(year_from)s", "year__gte"),
    "year_to": ("d.year <= %(year_to)s", "year__lte"),
    "venue": ("strpos(lower(d.venue), lower(%(venue)s)) > 0", "venue__icontains"),
}


@dataclass(frozen=True)
class Filters:
    """Filters of a search or a list: years inclusive, part of the venue's name."""

    year_from: int | None = None
    year_to: int | None = None
    venue: str = ""

    def __bool__(self) -> bool:
        return bool(self.values)

    @property
    def values(self) -> dict[str, Any]:
        """The filters that are set, by name."""
        return {name: value for name, value in asdict(self).items() if value not in (None, "")}

    def as_sql(self) -> str:
        """A join of the search entries `e` with the documents; `values` are its parameters."""
        parts = " ".join(f"AND {CONDITIONS[name][0]}" for name in self.values)
        return f"JOIN corpus_document d ON d.id = e.document_id {parts}" if parts else ""

    def as_q(self) -> Q:
        return Q(**{CONDITIONS[name][1]: value for name, value in self.values.items()})


@dataclass(frozen=True)
class Hit:
    """A found document. Hits in `title` and `extract` stand between HIT_START and HIT_END; both texts are unescaped.

    `title` holds the beginning of the abstract, or the docno, where the document has no title.
    """

    pk: int
    docno: str
    venue: str
    year: int | None
    authors: list[str]
    title: str
    extract: str


@dataclass(frozen=True)
class SearchPage:
    """One page of hits, best first. `matches` counts up to MOST_RANKED; `is_cut`: there are more, not ranked."""

    hits: list[Hit]
    matches: int
    is_cut: bool
    number: int
    size: int

    @property
    def has_next(self) -> bool:
        return self.number * self.size < self.matches

    @property
    def first(self) -> int:
        return (self.number - 1) * self.size + 1

    @property
    def last(self) -> int:
        return self.first + len(self.hits) - 1


@dataclass(frozen=True)
class Browsed:
    """A part of the collection in the order of docnos, and whether there is more on either side."""

    documents: Sequence[Document]
    has_previous: bool
    has_next: bool


def search_documents(
    collection: Collection, text: str, filters: Filters = Filters(), *, number: int = 1, size: int = 20
) -> SearchPage:
    """Page `number` of the documents that match `text` in websearch syntax ("a phrase", OR, -without), best first."""
    number = max(1, min(number, MOST_RANKED // size))
    values = filters.values | {"collection": collection.pk, "text": text, "most": MOST_RANKED}
    hits, matches = find_hits(
        collection, SEARCH.format(filters=filters.as_sql()), values, text=text, number=number, size=size
    )
    return SearchPage(hits, min(matches, MOST_RANKED), matches > MOST_RANKED, number, size)


def find_hits(
    collection: Collection, statement: str, values: Mapping[str, Any], *, text: str, number: int, size: int
) -> tuple[list[Hit], int]:
    """The hits on page `number` of a statement that ends with HEADLINE, and how many matches it counts.

    `text` is what is looked for.
    """
    headline: dict[str, Any] = {
        "language": collection.language,
        "marks": HIT_START + HIT_END,
        "title_options": _TITLE_OPTIONS,
        "abstract_options": _ABSTRACT_OPTIONS,
        "headlined": _HEADLINED,
        "opening": 2 * OPENING,
    }
    with connection.cursor() as cursor:
        cursor.execute(statement, {**values, **headline, "size": size, "offset": (number - 1) * size})
        rows = cursor.fetchall()
    hits = [
        Hit(pk, docno, venue, year, authors, document_name(title, opening, docno), extract)
        for pk, docno, venue, year, authors, _, title, extract, opening in rows
    ]
    if collection.language != ENGLISH:
        hits = [_in_other_language(hit, text, collection.language) for hit in hits]
    return hits, rows[0][5] if rows else 0


_ABSENT = re.compile(r'(^|\s)-(?:"[^"]*"|\S+)')  # what must be absent is not lit


def _in_other_language(hit: Hit, text: str, language: str) -> Hit:
    """With what is looked for marked in the title, and the abstract cut to what is around its first places."""
    terms = highlight_terms(_ABSENT.sub(" ", text), language)
    title = _marked(hit.title, highlight_spans(hit.title, terms, language))
    spans = highlight_spans(hit.extract, terms, language)
    pieces = fragments(hit.extract, spans, most=MOST_FRAGMENTS, around=FRAGMENT)
    shown = (_marked(hit.extract[at:end], [(a - at, b - at) for a, b in within]) for at, end, within in pieces)
    return replace(hit, title=title, extract=" … ".join(shown))


def _marked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    for start, end in reversed(spans):
        text = f"{text[:start]}{HIT_START}{text[start:end]}{HIT_END}{text[end:]}"
    return text


def has_searchable_words(collection: Collection, text: str) -> bool:
    """Whether anything is left of `text` for a search: not if it is all stop words and punctuation."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT numnode(corpus_search_query(%s, %s)) > 0", [collection.language, text])
        return bool(cursor.fetchone()[0])


TITLED_ALIKE = """
SELECT e.document_id FROM corpus_searchentry e WHERE e.collection_id = %s AND e.vector @@ (
  SELECT string_agg('(' || query::text || ')', ' | ')::tsquery
  FROM unnest(%s::text[]) title, corpus_plain_query(%s, title) query WHERE numnode(query) > 0)
LIMIT %s
"""


def titled_alike(collection: Collection, titles: Sequence[str], *, most: int) -> RawSQL:
    """Ids of documents that have all words of one of the titles, as a subquery."""
    values = [collection.pk, list(titles), collection.language, most]
    return RawSQL(TITLED_ALIKE, values)  # noqa: S611 - the text is ours alone


def unfinished_indexing(collection: Collection) -> Indexing | None:
    """The job that still has documents to make searchable, or has failed to; None where all can be found."""
    newest = collection.indexings.order_by("-pk").first()
    return None if newest is None or newest.state == JobState.DONE else with_live_progress(newest)


def browse_documents(
    collection: Collection, filters: Filters = Filters(), *, after: str = "", before: str = "", size: int = 50
) -> Browsed:
    """The next documents after a docno, or the last ones before one; from the beginning without either."""
    # Not through `collection.documents`: Django would ask each row for its collection again.
    rows = Document.objects.filter(filters.as_q(), collection=collection)
    rows = rows.only("docno", "title", "abstract", "authors", "venue", "year")
    if before:
        found = list(rows.filter(docno__lt=before).order_by("-docno")[: size + 1])
        return Browsed(found[:size][::-1], len(found) > size, True)
    found = list(rows.filter(docno__gt=after).order_by("docno")[: size + 1])
    return Browsed(found[:size], bool(after), len(found) > size)


# One query for each language of the collections: English words are those between signs, others those of their script.
BEGINNINGS = """
WITH wanted AS MATERIALIZED (
  SELECT array_agg(c.id) AS ids, c.language, to_tsquery(corpus_search_config(c.language),
    CASE c.language WHEN 'en' THEN %(query)s ELSE %(terms)s END) AS query
  FROM corpus_collection c WHERE c.id = ANY(%(collections)s) GROUP BY c.language
), candidates AS MATERIALIZED (
  SELECT found.id, found.vector, wanted.query FROM wanted CROSS JOIN LATERAL (
    SELECT e.document_id AS id, e.vector FROM corpus_searchentry e
    WHERE e.collection_id = ANY(wanted.ids) AND e.vector @@ wanted.query LIMIT %(candidates)s
  ) found
)
SELECT id FROM candidates ORDER BY ts_rank(vector, query, 1) DESC, id LIMIT %(most)s
"""
_CANDIDATES = 300  # matches that are ranked: this answers while one types


def find_by_beginnings(collections: Sequence[int], text: str, *, most: int) -> list[Document]:
    """Documents whose docno begins with `text`, then those with all its words, the last one perhaps typed in part.

    Three queries, each by an index and cut, whatever the size of the collections.
    """
    rows = Document.objects.filter(collection__in=collections).only("collection_id", "docno", "title", "abstract")
    numbered = list(rows.filter(docno__startswith=text).order_by("docno")[:most])
    bare = plain(text)
    pictures = find_pictures(bare)
    words = [*pictures, *re.findall(r"\w+", text)]
    terms = [*pictures, *(bare[start:end] for start, end in term_spans(bare))]
    if not terms or (len(terms[-1]) < 2 and not stands_alone(terms[-1])):
        return numbered
    values: dict[str, Any] = {
        "collections": list(collections),
        "query": " & ".join(words) + ":*",
        "terms": " & ".join(terms) + ":*",
        "candidates": _CANDIDATES,
        "most": most,
    }
    with connection.cursor() as cursor:
        cursor.execute(BEGINNINGS, values)
        ranked = [pk for (pk,) in cursor.fetchall()]
    found = rows.in_bulk(ranked)
    seen = {each.pk for each in numbered}
    return (numbered + [found[pk] for pk in ranked if pk in found and pk not in seen])[:most]


def count_documents(collection: Collection) -> tuple[int, bool]:
    """How many documents the collection has, and whether counting stopped at COUNT_LIMIT with more to come."""
    found = collection.documents.order_by()[: COUNT_LIMIT + 1].count()
    return min(found, COUNT_LIMIT), found > COUNT_LIMIT


def document_with(collection: Collection, docno: str) -> Document | None:
    """The document of this docno, letter by letter."""
    return Document.objects.filter(collection=collection, docno=docno).first()


def full_text_of(document: Document, *, whole: bool) -> FullText | None:
    """The document's full text, None where there is none; without its text unless `whole`."""
    found = FullText.objects.filter(document=document)
    return (found if whole else found.only("words")).first()


def pools_with(document: Document) -> QuerySet[Any]:
    """Entries of the document in pools, with their topics."""
    return document.pooled_for.select_related("topic").order_by("topic__position", "topic_id")


def topics_near(document: Document, limit: int = 5) -> QuerySet[Topic]:
    """The first topics with the document in their pool, not among their targets: it may become one of these."""
    topics = Topic.objects.filter(pool__document=document).exclude(targets__document=document)
    return topics.order_by("position", "pk")[:limit]


def targeting_topics(document: Document) -> QuerySet[Any]:
    """Targets: the topics that this document is known to answer."""
    return document.targeted_by.select_related("topic").order_by("topic__position", "topic_id")
