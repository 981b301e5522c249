"""Splits of topics with the seeds and shares they were drawn by."""

import json
from collections.abc import Iterator

from accounts.doors import where
from adjudication.exporting import statements
from adjudication.exporting.exporter import FATAL, NDJSON, TRAINING, Finding, Options, Reader, TextExporter
from adjudication.exporting.streams import loaded, rows


class Splits(TextExporter):
    name = "splits"
    label = "Splits of topics"
    suffix = "splits.jsonl"
    media_type = NDJSON
    about = "Each split on a line: seed, shares, and the topic numbers of each part."
    section = TRAINING
    labels = False

    def findings(self, options: Options, read: Reader) -> list[Finding]:
        if options.collection.splits.exists():
            return []
        slug = options.collection.slug
        advice = where(
            "Draw one",
            page="page “Splits”",
            rest=f"POST /api/collections/{slug}/splits/",
            command=f"make_split {slug} NAME",
        )
        return [Finding(FATAL, "no_splits", "No split has been drawn yet.", advice=f"{advice}.")]

    def lines(self, options: Options) -> Iterator[str]:
        line: dict[str, object] = {}
        for name, seed, parameters, part, numbers in rows(PARTS, options):
            stored = loaded(parameters)
            if line.get("split") != name:
                if line:
                    yield _written(line)
                line = {"split": name, "seed": seed, "shares": dict(stored["parts"])}
                line |= {"within": stored["within"], "together": stored["together"], "topics": {}}
            line["topics"][part] = numbers  # type: ignore[index]
        if line:
            yield _written(line)


def _written(line: dict[str, object]) -> str:
    return json.dumps(line, ensure_ascii=False) + "\n"


PARTS = f"""
SELECT s.name, s.seed, s.parameters, m.part, array_agg(t.written::text ORDER BY t.position, t.id)
FROM adjudication_split s
JOIN adjudication_splittopic m ON m.split_id = s.id
JOIN {statements.PUBLISHED_TOPICS} t ON t.id = m.topic_id
WHERE s.collection_id = %(collection)s
GROUP BY s.id, m.part ORDER BY s.id, m.part COLLATE "C"
"""

EXPORTERS = (Splits(),)
