"""Having the documents judged that runs rank high and the gold does not know."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from accounts.refusal_messages import refusals_in_form
from accounts.refusals import Refused
from adjudication.evaluation.actions import Judging, judge_unjudged
from adjudication.evaluation.forms import JudgingForm
from adjudication.evaluation.golds.registry import read_decided
from adjudication.evaluation.reads.measured import Measured
from adjudication.evaluation.reads.unjudged import DEPTHS, UnjudgedCount, fetch_unjudged
from adjudication.evaluation.views.evaluations import fetch_part, part_context
from corpus.collections.rules import check_can_manage
from corpus.models import Collection


@require_http_methods(["GET", "POST"])
def evaluation_judging(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """How many documents are unjudged, at which depth; a campaign's items are made of them."""
    membership, job, part = fetch_part(request, slug, pk)
    check_can_manage(membership)
    collection = membership.collection
    topics = request.GET.get("topics", "").split()
    if not set(topics) <= set(part.topics):
        raise Http404
    of_topics = f", topic {', '.join(topics)}" if topics else ""
    name = f"Unjudged documents of evaluation {job.pk}{of_topics}"
    initial = {"topics": " ".join(topics), "depth": request.GET.get("depth") or DEPTHS[1], "name": name[:100]}
    form = JudgingForm(request.POST or None, collection=collection, initial=initial)
    if request.method == "POST" and form.is_valid():
        values = form.cleaned_data
        with refusals_in_form(form):
            done = judge_unjudged(
                collection=collection,
                gold=str(part.report["gold"]),
                runs=part.runs,
                depth=values["depth"],
                by=membership.user,
                at=timezone.now(),
                topics=values["topics"] or None,
                campaign=values["campaign"],
                name=values["name"],
            )
            messages.success(request, _words(done))
            return redirect("item_list", slug, done.campaign.slug)
    context = part_context(membership, job, part) | {"form": form, "topics": topics}
    try:
        context["counts"] = _counts(collection, part, topics)
    except Refused as refusal:
        context["refusal"] = refusal.reason
    status = 422 if request.method == "POST" else 200
    return render(request, "adjudication/evaluation/evaluation_judging.html", context, status=status)


def _counts(collection: Collection, part: Measured, topics: list[str]) -> list[UnjudgedCount]:
    found = read_decided(collection, str(part.report["gold"]))
    _, counts = fetch_unjudged(collection, found, part.runs, DEPTHS[-1], topics or None)
    return counts


def _words(done: Judging) -> str:
    text = f"{done.items:,} items of {done.documents:,} documents added to {done.campaign}. Plan the assignment next."
    if done.absent:
        text += f" {done.absent:,} more documents are not in the collection."
    return text
