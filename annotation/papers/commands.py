"""litmus set_paper_doi SLUG KEY DOI"""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts.management.reporting import IN_COLLECTION, ReportingCommand
from accounts.refusals import Refused
from annotation.papers.extracting import settle_doi
from corpus.collections.collections import collection_with
from corpus.models import Paper


class SetPaperDoi(ReportingCommand):
    called = "set_paper_doi"
    where = IN_COLLECTION
    task = "Bring in"
    example = "set_paper_doi demo registers 10.1000/182"
    help = 'Set the DOI of a paper that is kept under its file name. "" means that none of the DOIs found is its own.'

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("key", help="the paper's key, as the page “Papers” lists it")
        parser.add_argument("doi", help='such as 10.5555/ex.2001, or ""')

    def carry_out(self, *, slug: str, key: str, doi: str, **_: Any) -> tuple[str, dict[str, Any]]:
        paper = Paper.objects.filter(collection=collection_with(slug), key=key).first()
        if paper is None:
            raise Refused(f"{slug} has no paper with the key “{key}”.")
        paper = settle_doi(paper=paper, doi=doi, by=None, at=timezone.now())
        summary = f"The DOI of “{paper}” is {paper.doi}." if paper.doi else f"“{paper}” stays without a DOI."
        return summary, {"key": paper.key, "doi": paper.doi}
