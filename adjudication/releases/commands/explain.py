"""manage.py explain SLUG TOPIC DOCNO [--json]"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.management.reporting import ReportingCommand
from adjudication.releases.reads.explaining import explain
from corpus.collections.reads.collections import collection_with


class Command(ReportingCommand):
    help = "Say where a judged pair came from, who judged it (under pseudonyms) and how its value was decided."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("topic", help="number of the topic, or of an aspect, such as 7.1")
        parser.add_argument("docno")

    def carry_out(self, *, slug: str, topic: str, docno: str, **_: Any) -> tuple[str, dict[str, Any]]:
        found = explain(collection_with(slug), topic, docno)
        return "\n".join(_summary(found)), found


def _summary(found: dict[str, Any]) -> list[str]:
    lines = [f"Topic {found['topic']}, document {found['docno']}: {found['title']}"]
    for line in found["lines"]:
        decision = line.get("prov:wasGeneratedBy", {})
        lines.append(
            f"{line['campaign']}, {line['criterion']}: {line['value']} ({decision.get('method', 'no verdict')})"
        )
        if "aspect" in line:
            lines.append(f"  aspect {line['subtopic']}: {line['aspect']}")
        sources = line.get("prov:wasDerivedFrom", [])
        lines += [
            f"  pooled by {one['method']}" + (f" at rank {one['rank']}" if one["rank"] else "") for one in sources
        ]
        lines += [f"  {_label(one)}" for one in line["labels"]]
        if decision.get("comment"):
            lines.append(f"  decided by {decision.get('by', 'a vote')}: {decision['comment']}")
        if line["changed"]:
            lines.append(f"  release {found['release']} has {line['released']}")
    return lines + found["withheld"]


def _label(label: dict[str, Any]) -> str:
    facts = [f"guideline {label['guideline']}"] if label.get("guideline") else []
    facts += [label["week"]] if label.get("week") else []
    facts += [f"{label['seconds']} s"] if label.get("seconds") else []
    return f"{label['prov:wasAttributedTo']} gave {label['value']}" + (f" ({', '.join(facts)})" if facts else "")
