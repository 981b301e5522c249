"""What a machine sees of a campaign's items: the same texts as people, and no answer of anybody."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import indent
from typing import Any

from accounts.sql import execute
from annotation.models import Campaign, Criterion, MachineRun
from engines.prompting.prompts import OF_CRITERIA, PLACEHOLDERS
from engines.text.names import document_name

BATCH = 500

# {which} selects items of the campaign, always by keyset, so that a million of them are never in memory at once. Where
# an item is no pair (a question is judged alone), its known targets stand for the document. A document that is judged
# is no target of its own prompt: that would tell the answer.
CONTENT = """
SELECT i.id AS item, coalesce(t.text, '') AS query, coalesce(asp.text, t.text, '') AS aspect,
  coalesce(above.texts, '') AS parent, coalesce(d.title, known.titles, '') AS title,
  coalesce(d.abstract, known.abstracts, '') AS abstract, coalesce(t.title, '') AS topic_title,
  coalesce(t.narrative, '') AS narrative,
  CASE t.kind WHEN 'context-paragraph' THEN t.text WHEN 'context-sentence' THEN coalesce(around.text, '') ELSE '' END
    AS paragraph,
  CASE t.kind WHEN 'context-sentence' THEN t.text ELSE '' END AS sentence, coalesce(known.whole, '') AS targets
FROM annotation_item i
LEFT JOIN corpus_topic t ON t.id = i.topic_id
LEFT JOIN corpus_topic around ON around.id = t.parent_id AND around.kind = 'context-paragraph'
LEFT JOIN corpus_aspect asp ON asp.id = i.aspect_id
LEFT JOIN corpus_document d ON d.id = i.document_id
LEFT JOIN LATERAL (
  SELECT string_agg(DISTINCT up.text, '; ') AS texts FROM corpus_aspectnode n
  JOIN corpus_aspectnode p ON p.id = n.parent_id JOIN corpus_aspect up ON up.id = p.aspect_id
  WHERE n.aspect_id = i.aspect_id
) above ON true
LEFT JOIN LATERAL (
  SELECT string_agg(k.title, E'\\n') FILTER (WHERE i.document_id IS NULL) AS titles,
    string_agg(k.abstract, E'\\n\\n') FILTER (WHERE i.document_id IS NULL) AS abstracts,
    string_agg(concat_ws(E'\\n', nullif(k.title, ''), nullif(k.abstract, '')), E'\\n\\n' ORDER BY g.id) AS whole
  FROM corpus_target g JOIN corpus_document k ON k.id = g.document_id
  WHERE g.topic_id = i.topic_id AND g.document_id IS DISTINCT FROM i.document_id
) known ON true
WHERE i.campaign_id = %(campaign)s AND i.id > %(after)s {which}
ORDER BY i.id LIMIT %(most)s
"""
UNANSWERED = """AND NOT EXISTS (
  SELECT FROM annotation_machinereply r WHERE r.run_id = %(run)s AND r.item_id = i.id AND r.state <> 'error')"""
EVENLY = """
SELECT id FROM (
  SELECT id, row_number() OVER (ORDER BY id) AS n, count(*) OVER () AS size FROM annotation_item
  WHERE campaign_id = %(campaign)s
) i WHERE (n - 1) %% greatest(1, size / %(count)s) = 0 ORDER BY n LIMIT %(count)s
"""
# What CONTENT has no text for, in the order of PER_ITEM, without reading the texts: there may be a million items.
EMPTY = """
SELECT count(*) FILTER (WHERE t.text IS NULL), count(*) FILTER (WHERE coalesce(t.title, '') = ''),
  count(*) FILTER (WHERE coalesce(t.narrative, '') = ''),
  count(*) FILTER (WHERE (t.kind = 'context-paragraph' OR around.id IS NOT NULL AND t.kind = 'context-sentence')
    IS NOT TRUE),
  count(*) FILTER (WHERE (t.kind = 'context-sentence') IS NOT TRUE),
  count(*) FILTER (WHERE NOT EXISTS (SELECT FROM corpus_target g WHERE g.topic_id = i.topic_id
    AND g.document_id IS DISTINCT FROM i.document_id)),
  count(*) FILTER (WHERE coalesce(i.aspect_id, i.topic_id) IS NULL),
  count(*) FILTER (WHERE NOT EXISTS (SELECT FROM corpus_aspectnode n WHERE n.aspect_id = i.aspect_id
    AND n.parent_id IS NOT NULL)),
  count(*) FILTER (WHERE CASE WHEN i.document_id IS NULL THEN NOT EXISTS (SELECT FROM corpus_target g
    JOIN corpus_document k ON k.id = g.document_id WHERE g.topic_id = i.topic_id AND k.title <> '')
    ELSE d.title = '' END),
  count(*) FILTER (WHERE CASE WHEN i.document_id IS NULL THEN NOT EXISTS (SELECT FROM corpus_target g
    JOIN corpus_document k ON k.id = g.document_id WHERE g.topic_id = i.topic_id AND k.abstract <> '')
    ELSE d.abstract = '' END)
FROM annotation_item i
LEFT JOIN corpus_topic t ON t.id = i.topic_id
LEFT JOIN corpus_topic around ON around.id = t.parent_id AND around.kind = 'context-paragraph'
LEFT JOIN corpus_document d ON d.id = i.document_id
WHERE i.campaign_id = %(campaign)s
"""
SAMPLED = "AND i.id = ANY(%(ids)s)"
PER_ITEM = [name for name in PLACEHOLDERS if name not in OF_CRITERIA]


@dataclass(frozen=True)
class ItemText:
    """One item as a machine sees it. `aspect` is the query where the topic has no aspects."""

    item: int
    query: str
    aspect: str
    parent: str
    title: str
    abstract: str
    topic_title: str
    narrative: str
    paragraph: str
    sentence: str
    targets: str

    @property
    def name(self) -> str:
        """The name of the item on a page."""
        return document_name(self.title, self.abstract, self.aspect)

    def placeholders(self, quotes: Mapping[str, str]) -> dict[str, str]:
        """The texts for the placeholders of a prompt; `quotes` are those of its criteria."""
        return {**{name: getattr(self, name) for name in PER_ITEM}, **quotes}


def unanswered(run: MachineRun) -> Iterator[ItemText]:
    """The items that the run has no reply for, in the order of their ids, read in batches.

    An item that is answered meanwhile does not come again, because ids only rise.
    """
    after = 0
    while batch := _fetch(run.campaign_id, UNANSWERED, after=after, run=run.pk):
        yield from batch
        after = batch[-1].item


def show_items(campaign: Campaign, ids: Sequence[int]) -> list[ItemText]:
    """These items of the campaign, at most a batch."""
    return _fetch(campaign.pk, SAMPLED, ids=list(ids))


def sample_items(campaign: Campaign, count: int) -> list[ItemText]:
    """`count` items (at most a batch) at even distances over the whole campaign: always the same."""
    return show_items(campaign, [pk for (pk,) in execute(EVENLY, {"campaign": campaign.pk, "count": count})])


def first_item(campaign: Campaign, pk: int | None = None) -> ItemText | None:
    """The item of this id in the campaign, else its first; None where it has none."""
    if pk is not None and (found := show_items(campaign, [pk])):
        return found[0]
    ids = list(campaign.items.order_by("pk").values_list("pk", flat=True)[:1])
    return show_items(campaign, ids)[0] if ids else None


def count_empty(campaign: Campaign) -> dict[str, int]:
    """{placeholder: how many items of the campaign have nothing behind it}."""
    [found] = execute(EMPTY, {"campaign": campaign.pk})
    return dict(zip(PER_ITEM, found, strict=True))


def quoted(criteria: Sequence[Criterion]) -> dict[str, str]:
    """What {levels} (of the first criterion) and {criteria} print."""
    each = [f"{one.key}: {one.question or one.label}\n{indent(describe_levels(one), '  ')}" for one in criteria]
    return {"levels": describe_levels(criteria[0]), "criteria": "\n\n".join(each)}


def describe_levels(criterion: Criterion) -> str:
    """The levels with their definitions, one on each line."""
    levels = sorted(criterion.levels.all(), key=lambda level: level.value)
    return "\n".join(f"{level.value} ({level.label}): {level.definition}".rstrip(": ") for level in levels)


def _fetch(campaign: int, which: str, *, after: int = 0, **more: Any) -> list[ItemText]:
    values = {"campaign": campaign, "after": after, "most": BATCH, **more}
    return [ItemText(*row) for row in execute(CONTENT.format(which=which), values)]
