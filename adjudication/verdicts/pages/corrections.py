"""Labels of machines, listed for people who correct them."""

from collections.abc import Iterable, Iterator, Mapping

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from adjudication.labels.items import NAMED_BY, number_of
from adjudication.labels.labels import scale_of
from adjudication.labels.pages import fetch_scope, whole_number
from adjudication.models import MachineCorrection, Verdict
from adjudication.verdicts.corrections import STATES, LabelFilter, find_labels, machine_labels
from annotation.campaigns.campaigns import topics_of
from annotation.models import AnnotatorKind, Criterion, Judgment
from corpus.collections.rules import can_manage
from corpus.tables import csv_response

PAGE = 50
COLUMNS = ("label", "topic", "docno", "aspect", "criterion", "machine", "said", "value")
UNDER = [(percent, f"under {percent}%") for percent in (50, 75, 90)]
Row = tuple[Judgment, Verdict | None, MachineCorrection | None]


@require_safe
def machine_label_list(request: HttpRequest, slug: str, campaign: str) -> HttpResponse | StreamingHttpResponse:
    """Labels of machines by what may be wrong with them, each with keys to correct it; `?as=csv` is a file of them."""
    scope = fetch_scope(request, slug, campaign, page="machines")
    criterion = scope.criterion
    context = scope.criterion_context(section="machine-labels", may_manage=can_manage(scope.membership))
    if criterion is None:
        return render(request, "adjudication/verdicts/machine_label_list.html", context)
    chosen = filter_of(request.GET)
    found = find_labels(criterion, chosen, whole_number(request.GET.get("after")) or 0)
    found = found.select_related(*(f"assignment__item__{name}" for name in NAMED_BY))
    if request.GET.get("as") == "csv":
        return csv_response(f"{slug}-{campaign}-machine-labels", COLUMNS, csv_rows(found.iterator(chunk_size=2000)))
    labels = list(found[: PAGE + 1])
    query = request.GET.copy()
    query["after"] = str(labels[PAGE - 1].pk) if len(labels) > PAGE else ""
    download = request.GET.copy()
    download["as"] = "csv"
    context |= {
        "rows": with_standing(criterion, labels[:PAGE]),
        "chosen": chosen,
        "is_narrowed": chosen != LabelFilter(),
        "next": query.urlencode() if len(labels) > PAGE else "",
        "download": download.urlencode(),
        "levels": scale_of(criterion),
        "topics": topics_of(scope.campaign),
        "machines": scope.campaign.annotators.filter(kind=AnnotatorKind.MACHINE).order_by("name"),
        "has_labels": bool(labels) or machine_labels(scope.campaign).filter(criterion=criterion).exists(),
        "states": STATES.items(),
        "under": UNDER,
        "differing": [("1", "Differ")],
    }
    return render(request, "adjudication/verdicts/machine_label_list.html", context)


def filter_of(query: Mapping[str, str]) -> LabelFilter:
    """The filter that an address asks for."""
    numbers = {name: whole_number(query.get(name)) for name in ("value", "topic", "machine", "under", "label")}
    return LabelFilter(**numbers, split=bool(query.get("split")), state=query.get("state") or "open")


def with_standing(criterion: Criterion, labels: Iterable[Judgment]) -> list[Row]:
    """Each label with the verdict on its item and the correction that stands. Two queries."""
    items = [label.assignment.item_id for label in labels]
    verdicts = {one.item_id: one for one in Verdict.objects.filter(item__in=items, criterion=criterion)}
    standing = MachineCorrection.objects.filter(item__in=items, criterion=criterion, undone_at__isnull=True)
    given = {one.item_id: one for one in standing.select_related("given_by")}
    return [(one, verdicts.get(one.assignment.item_id), given.get(one.assignment.item_id)) for one in labels]


def csv_rows(labels: Iterable[Judgment]) -> Iterator[tuple[object, ...]]:
    """Lines of a file to fill in: the last column is for the right value, and left empty where nobody has looked."""
    for label in labels:
        item, machine = label.assignment.item, label.assignment.annotator
        about = (number_of(item), item.document and item.document.docno, item.aspect and item.aspect.text)
        yield label.pk, *about, label.criterion.key, machine, label.value, ""
