"""The judgments behind a number of the dashboard or the agreement page, item by item."""

from collections.abc import Mapping
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from accounts.counting import exact_moment, named
from accounts.models import JobState
from adjudication.agreement.contributing_items import (
    ContributingItems,
    contributing_to_difference,
    contributing_to_figure,
)
from adjudication.agreement.disagreements import fetch_lines
from adjudication.agreement.results import figure_name, show
from adjudication.agreement.standing import why_stale
from adjudication.labels.pages import fetch_scope, whole_number
from adjudication.models import AgreementResult, AgreementRun
from adjudication.verdicts.judgments import (
    AMONG,
    METHODS,
    STATES,
    ItemSelection,
    count_assignments,
    find_page,
    reasons_of_skips,
)
from annotation.campaigns.campaigns import topics_of
from annotation.models import Annotator, Criterion
from corpus.collections.rules import can_manage
from engines.stats.statistics import statistic

PAGE = 25
MOST_SECONDS = 1_000_000
ALL = "All judged items with their labels."
DONE_WITH = {"skipped": "skipped", "pending": "still has to judge", "assigned": "judged or has to judge"}
FIGURE_PARAMETERS = ("figure", "run", "difference", "model", "unfit")  # what a filter of the list leaves as it is


@require_safe
def judgment_list(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Items with every label on them; `?annotator=`, `state=`, `topic=`, `method=`, `among=`, `figure=` … say which."""
    scope = fetch_scope(request, slug, campaign, page="judgments")
    criterion = scope.criterion
    context = scope.criterion_context(section="judgments", may_manage=can_manage(scope.membership), about=ALL)
    if criterion is None:
        return render(request, "adjudication/verdicts/judgment_list.html", context)
    figure = _figure(request, criterion)
    contributing = contributing_to_figure(figure, criterion) if figure else _difference(request, criterion)
    selection = _selection(request, criterion, contributing)
    page = find_page(selection, request.GET, PAGE)
    repeats = selection.repeated or selection.annotator is not None
    skipped_by = selection.annotator if selection.state == "skipped" else None
    items = list(page.object_list)
    annotators = list(scope.campaign.annotators.order_by("kind", "name"))
    annotator = next((one for one in annotators if one.pk == selection.annotator), None)
    difference = statistic(request.GET.get("difference", "")).label if contributing and not figure else ""
    context |= {
        "about": _of_figure(figure) if figure and not selection.item else _about(selection, annotator, difference),
        "selection": selection,
        "stale": why_stale(figure.run) if figure else "",
        "kept": [(name, request.GET[name]) for name in FIGURE_PARAMETERS if name in request.GET]
        if contributing
        else [],
        "page": page,
        "rows_found": scope.rows_found(page),
        "unfiltered": f"?criterion={criterion.key}",
        "lines": fetch_lines(items, criterion, scope.user, repeats=repeats),
        "skips": reasons_of_skips(items, skipped_by) if skipped_by else None,
        "annotators": annotators,
        "n_assignments": 0 if page.is_keyed else count_assignments(selection),
        "annotator": annotator,
        "topics": topics_of(scope.campaign),
        "states": [(name, name) for name in STATES],
        "methods": METHODS.items(),
    }
    return render(request, "adjudication/verdicts/judgment_list.html", context)


def _about(selection: ItemSelection, annotator: Annotator | None, difference: str) -> SafeString | str:
    """What the list holds, in a sentence; `difference` is the name of a test of people against a machine, or ""."""
    if selection.item:
        return "One item with every label on it."
    if difference:
        return _of_difference(selection, difference)
    if annotator:
        return _of_person(selection, annotator)
    if selection.method:
        return f"Items whose verdict is “{METHODS[selection.method]}”."
    if selection.among:
        model = f" ({selection.model})" if selection.model else ""
        return f"Items with {AMONG[selection.among]}{model}: what the figure was computed from."
    return ALL


def _of_figure(figure: AgreementResult) -> str:
    shown = show(figure)
    value = "undefined" if shown.why else shown.value
    return f"The items of one figure: {figure_name(figure)}, {value}, n {shown.n_items:,} when it was computed."


def _of_difference(selection: ItemSelection, difference: str) -> str:
    people = f"people and {selection.model} were compared"
    if selection.contributing and selection.contributing.unfit:
        return f"Items left out when {people}: they lack two labels of people, or a label of one of its runs."
    return f"Items on which {people} ({difference}): two labels of people and one of each of its runs."


def _of_person(selection: ItemSelection, annotator: Annotator) -> SafeString:
    if selection.repeated:
        other = ", with two different answers" if selection.differs else ""
        text = f"Items that {{0}} judged twice without knowing it{other}: the second counts for self-consistency only."
    elif selection.is_part:
        text = f"Items that {{0}} judged{_which(selection)}."
    elif selection.differs:
        text = "Items on which {0} and another person differ; where nobody else judged, {0} and a machine."
    else:
        text = f"Items that {{0}} {DONE_WITH.get(selection.state, 'judged')}."
    return format_html(text, named(annotator))


def _which(selection: ItemSelection) -> str:
    """Which of their items, in words."""
    if selection.known:
        return " otherwise than the known answer says" if selection.differs else " and whose answer is known"
    if selection.other is not None:
        return " as another person did, unlike others" if selection.differs else ", and another person too"
    found = ", otherwise than somebody else" if selection.differs else ""
    if selection.span is not None:
        found = f" from {exact_moment(selection.span[0])} to {exact_moment(selection.span[1])}{found}"
    version = f" by version {selection.version} of the guideline" if selection.version is not None else ""
    fast = f" within {selection.within:.1f} seconds" if selection.within is not None else ""
    return f"{version}{fast}{found}"


def _figure(request: HttpRequest, criterion: Criterion) -> AgreementResult | None:
    """The stored figure of `?figure=`."""
    pk = whole_number(request.GET.get("figure"))
    rows = AgreementResult.objects.filter(run__campaign=criterion.campaign_id, criterion=criterion.key)
    return None if pk is None else rows.filter(pk=pk, run__state=JobState.DONE).select_related("run").first()


def _difference(request: HttpRequest, criterion: Criterion) -> ContributingItems | None:
    """The items of a test of people against a machine: `?run=`, `difference=`, `model=`; `unfit=1`: those left out."""
    query = request.GET
    runs = AgreementRun.objects.filter(campaign=criterion.campaign_id, state=JobState.DONE)
    run = runs.filter(pk=whole_number(query.get("run")) or 0).first()
    if run is None or criterion.key not in run.detail:
        return None
    name, model = query.get("difference", ""), query.get("model", "")
    return contributing_to_difference(run, criterion, name, model, unfit=bool(query.get("unfit")))


def _selection(request: HttpRequest, criterion: Criterion, contributing: ContributingItems | None) -> ItemSelection:
    """Which items the address asks for; invalid parameters are ignored."""
    query = request.GET
    annotator = whole_number(query.get("annotator"))
    known = annotator is not None and criterion.campaign.annotators.filter(pk=annotator).exists()
    return ItemSelection(
        criterion,
        item=whole_number(query.get("item")),
        topic=whole_number(query.get("topic")),
        annotator=annotator if known else None,
        state=_one_of(query.get("state"), STATES),
        repeated=known and bool(query.get("repeated")),
        differs=known and bool(query.get("differs")),
        known=known and bool(query.get("known")),
        other=whole_number(query.get("with")) if known else None,
        version=whole_number(query.get("version")) if known else None,
        within=_seconds(query.get("within")) if known else None,
        span=_span(query) if known else None,
        among=_one_of(query.get("among"), AMONG),
        model=query.get("model", "")[:150],
        method=_one_of(query.get("method"), METHODS),
        contributing=contributing,
    )


def _span(query: Mapping[str, str]) -> tuple[datetime, datetime] | None:
    """`?from=` and `until=`, moments with their time zone."""
    try:
        first, last = (datetime.fromisoformat(query.get(name, "")) for name in ("from", "until"))
    except ValueError:
        return None
    return (first, last) if first.tzinfo and last.tzinfo else None


def _seconds(text: str | None) -> float | None:
    try:
        found = float(text or "")
    except ValueError:
        return None
    return found if 0 <= found <= MOST_SECONDS else None


def _one_of(text: str | None, known: Mapping[str, object]) -> str:
    return text if text and text in known else ""
