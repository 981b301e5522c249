"""One hop by citations: what the first documents of a run cite is ranked as well (LitSearch, section 5).

The new list holds the first m documents and what they cite. In the paper, the papers that a document cites follow that
document; in its code, they follow all the first documents. Both cut the list after n papers, so that a reranker can
read it; uncut, the rest of the run comes after it.
"""

from collections.abc import Sequence

from django import forms

from accounts.sql import execute
from corpus.models import Collection
from corpus.runs.recipes.earlier import RunField, check_run, earlier_rankings, excluded_docnos
from corpus.runs.recipes.recipe import DEEPEST, Rankings, Recipe, RecipeForm, Task, WordField
from engines.ranking.order import in_order

PAPER, CODE = "paper", "code"
# Citations are rows, or lists of docnos that came with the documents; the order of a list is kept.
CITED = """
SELECT d.docno, o.docno, -1::bigint FROM corpus_document d
JOIN corpus_citation c ON c.citing_id = d.id JOIN corpus_document o ON o.id = c.cited_id
WHERE d.collection_id = %(collection)s AND d.docno = ANY(%(docnos)s)
UNION ALL
SELECT d.docno, o.docno, named.place FROM corpus_document d
CROSS JOIN LATERAL jsonb_array_elements_text(
  CASE WHEN jsonb_typeof(d.extra->'citations') = 'array' THEN d.extra->'citations' ELSE '[]' END
) WITH ORDINALITY AS named (docno, place)
JOIN corpus_document o ON o.collection_id = d.collection_id AND o.docno = named.docno
WHERE d.collection_id = %(collection)s AND d.docno = ANY(%(docnos)s)
ORDER BY 1, 3, 2
"""


class OneHopForm(RecipeForm):
    """Options of the expansion."""

    run = RunField()
    first = forms.IntegerField(
        label="First documents",
        initial=50,
        min_value=1,
        max_value=10_000,
        required=False,
        help_text="m of LitSearch: those whose citations come in",
    )
    most = forms.IntegerField(
        label="Most documents",
        initial=200,
        min_value=0,
        max_value=DEEPEST,
        required=False,
        help_text="n of LitSearch: where the new list ends; 0: nowhere, and the rest of the run comes after it",
    )
    order = WordField(
        [(PAPER, "after the document that cites them, as the paper"), (CODE, "after the first documents, as the code")],
        label="Place of cited papers",
        help_text="of LitSearch, whose paper and code differ",
    )


def cited_by(collection: Collection, docnos: Sequence[str]) -> dict[str, list[str]]:
    """The documents of the collection that each of these cites."""
    found: dict[str, dict[str, None]] = {}
    for citing, cited, _ in execute(CITED, {"collection": collection.pk, "docnos": list(docnos)}):
        found.setdefault(citing, {})[cited] = None
    return {citing: list(cited) for citing, cited in found.items()}


def expand(docnos: Sequence[str], cited: dict[str, list[str]], first: int, order: str) -> list[str]:
    """The first documents and what they cite in their new order, each at its first place."""
    seeds = docnos[:first]
    walk = list(seeds) if order == CODE else []
    for docno in seeds:
        walk += [docno, *cited.get(docno, ())]
    return list(dict.fromkeys(walk))


def _rank(task: Task) -> Rankings:
    values = task.values
    rankings = earlier_rankings(task, values["run"])
    for done, (query, ranking) in enumerate(zip(task.queries, rankings, strict=True)):
        task.report(done, "following citations")
        docnos = ranking.docnos
        cited = cited_by(task.collection, docnos[: values["first"]])
        found = expand(docnos, cited, values["first"], values["order"])
        found = found if values["most"] else list(dict.fromkeys([*found, *docnos]))
        excluded = excluded_docnos(task, query, found)
        allowed = [docno for docno in found if docno not in excluded]
        kept = allowed[: values["most"] or None][: task.depth]
        task.counts["documents that citations brought in"] += len(set(kept) - set(docnos))
        task.counts["documents after the end of the list, which are left out"] += len(allowed) - len(kept)
        yield query, in_order(kept)


ONE_HOP = Recipe(
    "one-hop",
    "One hop by citations",
    "Adds the papers that the first documents of a run cite, as in LitSearch.",
    OneHopForm,
    _rank,
    check_run,
    ("citations",),
)
