"""Topics that files number in another way than the collection: noticed, offered and, if asked for, matched."""

from collections.abc import Collection, Iterable

from accounts.sql import execute
from corpus.loading.counts import ImportCounts, MatchOffer
from corpus.models import ImportRun
from engines.formats.topic_numbers import WAYS, best_way, in_words, matches

LABEL = "Topic numbers"  # of the field that chooses the way
MATCH = "match"  # in an import's parameters: a name of WAYS, "" for numbers that are equal
RENUMBER = """
UPDATE {table} r SET topic = m.known FROM unnest(%(written)s::text[], %(known)s::text[]) AS m (written, known)
WHERE r.topic = m.written
"""


def matched_numbers(
    run: ImportRun, wanted: Iterable[str], counts: ImportCounts, *, others: Collection[str] = ()
) -> dict[str, str]:
    """The numbers of the collection's topics by those in the files, where the import was asked to match them.

    `wanted` are all numbers in the files, `others` what they may name in addition to topics. Where nothing was asked
    for, the import offers what would match.
    """
    known = set(run.collection.topics.values_list("number", flat=True))
    asked = {number for number in wanted if number not in others}
    if way := str(run.parameters.get(MATCH) or ""):
        found = matches(asked, known, way)
        if found:
            counts.renumber_samples(found)
            counts.remarks.append(f"Topics were matched: {in_words(found, way)}.")
        return found
    way, found = best_way(asked, known)
    if found:
        counts.offer = MatchOffer(way, _offered(found, way))
    return {}


def _offered(found: dict[str, str], way: str) -> str:
    return f"{in_words(found, way)}. Import again with “{LABEL}” set to “{WAYS[way].label}”"


def renumber(table: str, run: ImportRun, counts: ImportCounts, *, others: Collection[str] = ()) -> None:
    """Match the topics of a staging table, in its column `topic`; see `matched_numbers`."""
    wanted = [number for (number,) in execute(f"SELECT DISTINCT topic FROM {table}")]
    found = matched_numbers(run, wanted, counts, others=others)
    if found:
        execute(RENUMBER.format(table=table), {"written": list(found), "known": list(found.values())})
