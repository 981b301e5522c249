"""What the figures and the rules for ties mean: read off their records."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from adjudication.stats.policies import TIE_POLICIES, VOTE_POLICIES
from adjudication.stats.statistics import STATISTICS


@login_not_required
@require_safe
def statistics_help(request: HttpRequest) -> HttpResponse:
    """Every statistic with its formula, range and scale, and every rule of a vote. Open to everybody, as all help."""
    rules = [each for each in TIE_POLICIES.values() if not each.needs]
    context = {"statistics": STATISTICS.values(), "votes": VOTE_POLICIES.values(), "rules": rules}
    return render(request, "adjudication/agreement/statistics_help.html", context)
