"""Which evaluation a page is about, who may see it, and what all its pages show."""

from typing import Any

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from adjudication.evaluation.reads.measured import Measured, fetch_measured, reports_of
from adjudication.evaluation.reads.spec import EvaluationSpec
from adjudication.evaluation.rules import check_can_see
from adjudication.labels.rules import can_adjudicate
from adjudication.models import Evaluation
from corpus.collections.rules import fetch_overseer
from corpus.collections.views.context import collection_context
from corpus.models import Membership


def fetch_evaluation(request: HttpRequest, slug: str, pk: int) -> tuple[Membership, Evaluation]:
    """The evaluation, for those who may see what its gold gives away."""
    membership = fetch_overseer(request.user, slug)
    jobs = Evaluation.objects.select_related("collection", "requested_by")
    job = get_object_or_404(jobs, collection=membership.collection, pk=pk)
    check_can_see(membership, EvaluationSpec.from_json(job.parameters))
    return membership, job


def fetch_part(request: HttpRequest, slug: str, pk: int) -> tuple[Membership, Evaluation, Measured]:
    """The evaluation with the part that `?part=` asks for; 404 where it is not done, or has no such part."""
    membership, job = fetch_evaluation(request, slug, pk)
    part = fetch_measured(job, whole_number(request.GET.get("part"), 1000) or 0)
    if part is None:
        raise Http404
    return membership, job, part


def part_context(membership: Membership, job: Evaluation, part: Measured) -> dict[str, Any]:
    """What the pages of a part show; `parts` are (number, words) where there are several."""
    parts = [(at, each.get("gold_label", "")) for at, each in enumerate(reports_of(job))]
    found = {"evaluation": job, "part": part, "parts": parts if len(parts) > 1 else []}
    return context_of(membership) | found | {"report": part.report}


def context_of(membership: Membership) -> dict[str, Any]:
    return collection_context(membership, "evaluation", may_ask=can_adjudicate(membership))


def chosen(request: HttpRequest, name: str, known: tuple[str, ...], default: int = 0) -> str:
    """One of the known words that the address asks for, the default without one. Errors: 404 for another word."""
    word = request.GET.get(name) or known[min(default, len(known) - 1)]
    if word not in known:
        raise Http404
    return word


def whole_number(word: str | None, most: int) -> int | None:
    """A number below `most`, or None."""
    return int(word) if word and word.isascii() and word.isdigit() and int(word) < most else None
