"""manage.py make_context_topics SLUG --level paragraph|sentence [--include-drafts] [--json]"""

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts.management.reporting import ReportingCommand
from adjudication.exporting.forms import CONTEXT_LEVELS
from adjudication.papers.actions.contexts import make_context_topics
from corpus.collections.reads.collections import collection_with


class Command(ReportingCommand):
    help = "Make topics of citation contexts, for runs, pools and evaluation; the documents they cite become targets."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("--level", choices=CONTEXT_LEVELS, required=True)
        parser.add_argument("--include-drafts", action="store_true", dest="drafts")

    def carry_out(self, *, slug: str, level: str, drafts: bool, **_: Any) -> tuple[str, dict[str, Any]]:
        made = make_context_topics(
            collection=collection_with(slug), level=level, by=None, at=timezone.now(), drafts=drafts
        )
        summary = f"Made {made.made:,} topics, {made.known:,} were here already; {made.targets:,} targets are new."
        if made.prefix:
            summary += (
                f" Numbers are taken, so the new ones begin with “{made.prefix}” here; exports take it off again."
            )
        return summary, asdict(made)
