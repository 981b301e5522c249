"""Runs for people who may see ranks: listed, described, asked to be made."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, F, IntegerField, Max, QuerySet, Sum
from django.db.models.expressions import Func

from accounts import jobs
from accounts.audit import record_event
from accounts.doors import where
from accounts.models import FINAL_STATES, User
from accounts.refusals import Conflict, Refused
from accounts.sql import execute
from corpus.collections.rules import check_manager
from corpus.models import Collection, Document, PoolEntry, Ranking, RetrievalRun, RunMaking
from corpus.runs.recipes.queries import ALL, CONTEXTS, queries_of, topic_sets
from corpus.runs.recipes.recipe import Recipe, recipe_hash
from corpus.runs.recipes.registry import RECIPES
from corpus.runs.rules import check_new_name, lock_names
from corpus.topics.judged import with_judged
from engines.text.reranking import Message, Paper, parse_rerank_prompt, shortened

EXAMPLES, EXAMPLE_WORDS = 3, 60  # documents in an example of a prompt, and words of each
COMPARED = 100  # first documents of a ranking that are compared with its topic's pool

OVERLAP = """
SELECT count(*) FILTER (WHERE u.rank <= 10), count(e.id) FILTER (WHERE u.rank <= 10), count(*), count(e.id)
FROM corpus_ranking k
CROSS JOIN LATERAL unnest(k.docnos[1:%(depth)s]) WITH ORDINALITY AS u (docno, rank)
LEFT JOIN corpus_document d ON d.collection_id = %(collection)s AND d.docno = u.docno
LEFT JOIN corpus_poolentry e ON e.topic_id = k.topic_id AND e.document_id = d.id
WHERE k.run_id = %(run)s
"""


class Cardinality(Func):
    function = "cardinality"
    output_field = IntegerField()


@dataclass(frozen=True)
class RunOverlap:
    """Percentages of the first 10 and the first 100 documents of all topics that are pooled; None without documents."""

    at_10: float | None
    at_100: float | None


@dataclass(frozen=True)
class RankingRow:
    """A ranking of `length`; of its first 100 documents, how many are pooled, judged, and not in the collection."""

    ranking: Ranking
    length: int
    pooled: int
    judged: int
    unknown: int


@dataclass(frozen=True)
class Ranked:
    """A document in a ranking; None where the collection lacks it."""

    rank: int
    docno: str
    score: float
    document: Document | None
    is_pooled: bool


def list_runs(collection: Collection) -> QuerySet[RetrievalRun]:
    """The runs by name, with `n_topics`, `n_rows` and `deepest`."""
    return collection.retrieval_runs.annotate(
        n_topics=Count("rankings"),
        n_rows=Sum(Cardinality("rankings__docnos"), default=0),
        deepest=Max(Cardinality("rankings__docnos"), default=0),
    ).order_by("name")


def overlap_of(run: RetrievalRun) -> RunOverlap:
    """How much of the top of the run's rankings is in the pools."""
    values = {"run": run.pk, "collection": run.collection_id, "depth": COMPARED}
    ((n_10, pooled_10, n_100, pooled_100),) = execute(OVERLAP, values)
    return RunOverlap(100 * pooled_10 / n_10 if n_10 else None, 100 * pooled_100 / n_100 if n_100 else None)


def example_messages(collection: Collection, body: str) -> list[Message]:
    """What a prompt for reranking sends about the first topic and three documents. Errors: BadRerankPrompt."""
    prompt = parse_rerank_prompt(body)
    topic = collection.topics.order_by("position", "pk").first()
    documents = collection.documents.order_by("pk").values_list("title", "abstract")[:EXAMPLES]
    papers = [shortened(title, abstract, EXAMPLE_WORDS) for title, abstract in documents]
    return prompt.messages(topic.text if topic else "(the first topic)", papers or [Paper("", "")])


def rankings_of(run: RetrievalRun) -> QuerySet[Ranking]:
    """The run's rankings in the order of topics, with `n_rows` and `first_docnos`; the arrays are not loaded."""
    rankings = run.rankings.select_related("topic").defer("docnos", "scores", "topic__narrative", "topic__sentences")
    return rankings.annotate(n_rows=Cardinality("docnos"), first_docnos=F(f"docnos__0_{COMPARED}")).order_by(
        "topic__position", "topic_id"
    )


def compare_with_pools(collection: Collection, rankings: Iterable[Ranking]) -> list[RankingRow]:
    """These rankings, as `rankings_of` gives them, compared with the pools of their topics; two queries."""
    found = list(rankings)
    docnos = {docno for ranking in found for docno in ranking.first_docnos}  # type: ignore[attr-defined]
    known = set(collection.documents.filter(docno__in=docnos).values_list("docno", flat=True))
    entries = with_judged(PoolEntry.objects.filter(topic__in=[ranking.topic_id for ranking in found]))
    judged = {
        (topic, docno): is_judged
        for topic, docno, is_judged in entries.values_list("topic_id", "document__docno", "is_judged")
    }
    return [_row(ranking, known, judged) for ranking in found]


def _row(ranking: Ranking, known: set[str], judged: dict[tuple[int, str], bool]) -> RankingRow:
    first: list[str] = ranking.first_docnos  # type: ignore[attr-defined]
    pooled = [judged[ranking.topic_id, docno] for docno in first if (ranking.topic_id, docno) in judged]
    length: int = ranking.n_rows  # type: ignore[attr-defined]
    return RankingRow(ranking, length, len(pooled), sum(pooled), sum(docno not in known for docno in first))


def first_of(ranking: Ranking, most: int) -> list[Ranked]:
    """The first documents of a ranking, best first; three queries."""
    docnos, scores = ranking.docnos[:most], ranking.scores[:most]
    known = Document.objects.filter(collection=ranking.topic.collection_id, docno__in=docnos)
    by_docno = {document.docno: document for document in known.only("docno", "title", "abstract", "year")}
    entries = PoolEntry.objects.filter(topic=ranking.topic_id, document__docno__in=docnos)
    pooled = set(entries.values_list("document__docno", flat=True))
    return [
        Ranked(rank, docno, score, by_docno.get(docno), docno in pooled)
        for rank, (docno, score) in enumerate(zip(docnos, scores, strict=True), 1)
    ]


def judged_documents_of(run: RetrievalRun) -> int:
    """How many (topic, document) pairs that this run pooled are items of campaigns."""
    pooled = PoolEntry.objects.filter(topic__collection=run.collection_id, sources__method=run.name)
    return pooled.filter(document__items__topic=F("topic")).distinct().count()


def recipe_named(name: str) -> Recipe:
    """The recipe of this name. Errors: Refused, with the names of all recipes."""
    if name not in RECIPES:
        raise Refused(f"There is no recipe “{name[:60]}”. There are {', '.join(RECIPES)}.")
    return RECIPES[name]


def _nothing_to_rank_for(collection: Collection, topics: str) -> str:
    text = f"The collection has no such topics: {topic_sets()[topics].label}."
    if topics not in (ALL, *CONTEXTS) or not collection.papers.exists():
        return text
    advice = where(
        "Make topics of its citation contexts first",
        page="page “Citation contexts”",
        rest=f"POST /api/collections/{collection.slug}/context-topics/",
        command=f"make_context_topics {collection.slug} --level paragraph",
    )
    return f"{text} {advice}."


@transaction.atomic
def request_run(
    *,
    by: User | None,
    at: datetime,
    collection: Collection,
    name: str,
    recipe: Recipe,
    options: Mapping[str, Any],
    send: bool = True,
) -> RunMaking:
    """Request a run of this name by a recipe; `options` are its settings that differ from the defaults.

    `send=False` leaves the work to the caller. Errors: Refused for settings, names and recipes that cannot be used
    here, Conflict for a name that is taken and while a run of the name is being made.
    """
    check_manager(collection, by)
    lock_names(collection.pk)
    values = recipe.values(collection, options)
    digest = recipe_hash(recipe.name, values)
    check_new_name(collection, name, digest)
    if not collection.documents.exists():
        raise Refused("The collection has no documents to rank. Import documents first.")
    if not queries_of(collection, values["topics"]):
        raise Refused(_nothing_to_rank_for(collection, values["topics"]))
    if recipe.check is not None:
        recipe.check(collection, values)
    if collection.run_makings.filter(name=name).exclude(state__in=FINAL_STATES).exists():
        raise Conflict(f"The run {name} is already being made. Wait until it has finished, or cancel it first.")
    kept = recipe.keep(collection, values, by, at) if recipe.keep else {}
    parameters = {"recipe": recipe.name, "settings": values, **kept}
    fields = {"collection": collection, "name": name, "recipe_hash": digest, "parameters": parameters}
    job = jobs.new_job(RunMaking, by=by, at=at, send=send, **fields)
    record_event(by=by, at=at, verb="request_run", target=job, scope=collection, name=name, **parameters)
    return job


@transaction.atomic
def describe_run(*, by: User, at: datetime, run: RetrievalRun, description: str) -> None:
    """Describe the system that made the run."""
    check_manager(run.collection, by)
    if run.description == description:
        return
    run.description = description
    run.save(update_fields=["description"])
    record_event(by=by, at=at, verb="describe_run", target=run, scope=run.collection, description=description)
