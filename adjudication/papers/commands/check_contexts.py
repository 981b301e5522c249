"""manage.py check_contexts SLUG [--tokens T] [--stemmer S] [--k1 F] [--b F] [--include-drafts] [--json]"""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts import jobs
from accounts.management.reporting import ReportingCommand
from accounts.models import JobState
from accounts.refusals import Refused
from adjudication.papers.actions.contexts import request_context_check
from corpus.collections.reads.collections import collection_with
from corpus.ranking.analysis import LUCENE, STEMMERS, TOKENS


class Command(ReportingCommand):
    help = "Search the collection with each citation context by BM25: recall@10 and nDCG@10 against its own qrels."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("--tokens", choices=TOKENS, default=LUCENE)
        parser.add_argument("--stemmer", choices=STEMMERS, default="porter")
        parser.add_argument("--k1", type=float, default=0.9)
        parser.add_argument("--b", type=float, default=0.4)
        parser.add_argument("--include-drafts", action="store_true", dest="drafts")

    def carry_out(self, *, slug: str, **options: Any) -> tuple[str, dict[str, Any]]:
        settings = {name: options[name] for name in ("tokens", "stemmer", "k1", "b", "drafts")}
        job = request_context_check(
            collection=collection_with(slug), by=None, at=timezone.now(), send=False, **settings
        )
        jobs.carry_out(job)
        job.refresh_from_db()
        if job.state != JobState.DONE:
            raise Refused(job.reason)
        lines = [
            f"{level}s: {found['topics']:,} topics, recall@10 {_figure_text(found['recall_10'])}, "
            f"nDCG@10 {_figure_text(found['ndcg_10'])}"
            for level, found in job.results.items()
        ]
        return "\n".join(lines), {**job.results, "documents": job.documents, "parameters": job.parameters}


def _figure_text(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"
