"""What people say of a paper itself: which DOI it has."""

from datetime import datetime

from django.db import transaction
from django.db.models import Q

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Refused
from corpus.collections.rules import check_manager
from corpus.formats.dois import bare_doi, is_placeholder, is_plausible
from corpus.models import Paper, Topic, TopicKind
from corpus.models.papers import DOUBTFUL_DOI

CONTEXT_KINDS = (TopicKind.CONTEXT_PARAGRAPH, TopicKind.CONTEXT_SENTENCE)


@transaction.atomic
def settle_doi(*, paper: Paper, doi: str, by: User | None, at: datetime) -> Paper:
    """Say which DOI a paper has, which becomes its key; "" says that none of those found is its own.

    A later import of the same file keeps the answer. Errors: Refused for what is no whole DOI or a template's, for the
    DOI of another paper, and where topics are numbered by the key that would change.
    """
    paper = Paper.objects.select_for_update().select_related("collection").get(pk=paper.pk)
    check_manager(paper.collection, by)
    doi, before = bare_doi(doi), paper.key
    if doi:
        _check_doi(doi, paper)
        paper.doi = paper.key = doi
    answered = {"code": DOUBTFUL_DOI, "text": "", "candidates": [], **(paper.doubtful_doi or {}), "settled": True}
    paper.warnings = [each for each in paper.warnings if each["code"] != DOUBTFUL_DOI] + [answered]
    paper.updated_at = at
    paper.save(update_fields=["doi", "key", "warnings", "updated_at"])
    record_event(by=by, at=at, verb="settle_doi", target=paper, scope=paper.collection, doi=doi, before=before)
    return paper


def _check_doi(doi: str, paper: Paper) -> None:
    if is_placeholder(doi):
        raise Refused(f"{doi} only fills a template: many papers print it. Give the DOI that the publisher assigned.")
    if not is_plausible(doi) or len(doi) > 255:
        raise Refused(f"“{doi[:100]}” is not a whole DOI. A DOI looks like 10.1145/3404835.3463242.")
    others = Paper.objects.filter(collection=paper.collection_id).exclude(pk=paper.pk)
    if other := others.filter(Q(key__iexact=doi) | Q(doi__iexact=doi)).first():
        raise Refused(f"The paper “{other}” has the DOI {doi} already. Two papers cannot share one.")
    topics = Topic.objects.filter(collection=paper.collection_id, kind__in=CONTEXT_KINDS, title=paper.title)
    if doi != paper.key and topics.exists():
        raise Refused("Topics have been made from its contexts, numbered by its present key, so the key cannot change.")
