"""The list of items on which annotators differ: where each figure of the agreement page leads."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from accounts.counting import named
from adjudication.agreement.disagreements import DisagreementFilter, LabelSide, fetch_lines, find_page, pair_of
from adjudication.agreement.standing import fetch_standing
from adjudication.labels.counts import fetch_vote_standing
from adjudication.labels.pages import fetch_scope, whole_number
from annotation.campaigns.campaigns import topics_of
from annotation.models import Criterion

PAGE = 25
UNDECIDED = "Undecided items whose votes differ, the least agreement first."


@require_safe
def disagreement_list(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Open disagreements; `?topic=`, `?pair=a,b` and `?cell=x,y` narrow them, `?all=1` shows decided ones too.

    Of a pair, `?level=x` are the items to which one of the two gave x, `?alike=1` those that both have labelled.
    """
    scope = fetch_scope(request, slug, campaign, page="disagreements")
    criterion = scope.criterion
    votes = fetch_vote_standing(scope.campaign)
    context = scope.criterion_context(section="disagreements", votes=votes, about=UNDECIDED)
    if criterion is None:
        return render(request, "adjudication/agreement/disagreement_list.html", context)
    pair = pair_of(criterion, request.GET.get("pair", ""))
    selection = DisagreementFilter(
        criterion,
        topic=whole_number(request.GET.get("topic")),
        pair=(pair[0].pk or 0, pair[1].pk) if pair else None,
        cell=_cell(criterion, request.GET.get("cell", "")) if pair else None,
        everything=bool(request.GET.get("all")),
        level=_level(criterion, request.GET.get("level", "")) if pair else None,
        all_labelled=pair is not None and bool(request.GET.get("alike")),
    )
    page = find_page(selection, request.GET, PAGE)
    standing = fetch_standing(scope.campaign)
    context |= {
        "page": page,
        "rows_found": scope.rows_found(page),
        "unfiltered": f"?criterion={criterion.key}",
        "lines": fetch_lines(list(page.object_list), criterion, scope.user),
        "selection": selection,
        "pair": pair,
        "about": _about(selection, pair),
        "topics": topics_of(scope.campaign),
        "annotators": scope.campaign.annotators.order_by("kind", "name"),
        "levels": criterion.levels.all(),
        "standing": standing,
        "has_votes": criterion.verdicts.filter(n_votes__gt=0).exists(),
        "is_filtered": bool(selection.topic or selection.pair or selection.everything),
    }
    return render(request, "adjudication/agreement/disagreement_list.html", context)


def _about(selection: DisagreementFilter, pair: list[LabelSide] | None) -> SafeString | str:
    """What the list holds, in a sentence."""
    if pair is None:
        return "Items whose votes differ, the least agreement first." if selection.everything else UNDECIDED
    one, other = (named(each.name) for each in pair)
    if selection.cell:
        return format_html(
            "Items to which {} gave {} and {} gave {}.", one, selection.cell[0], other, selection.cell[1]
        )
    if selection.level is not None:
        return format_html("Items to which {} or {} gave {}.", one, other, selection.level)
    if selection.all_labelled:
        return format_html("Items that {} and {} have both labelled.", one, other)
    return format_html("Items on which {} and {} differ.", one, other)


def _cell(criterion: Criterion, text: str) -> tuple[int, int] | None:
    """The two values of "x,y" where both are levels of the criterion."""
    parts = [_level(criterion, part) for part in text.split(",")]
    one, other = parts if len(parts) == 2 else (None, None)
    return None if one is None or other is None else (one, other)


def _level(criterion: Criterion, text: str) -> int | None:
    """The value named, where it is a level of the criterion."""
    return next((level.value for level in criterion.levels.all() if str(level.value) == text), None)
