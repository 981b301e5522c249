"""The agreement of a campaign: figures with intervals, who agrees with whom, and the way down to the judgments."""

from functools import partial

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from accounts.models import JobState
from accounts.refusal_messages import RefusalReport
from accounts.refusals import Refused
from accounts.refused_forms import form_again
from adjudication.agreement.agreement_table import FORMS, as_latex, as_markdown
from adjudication.agreement.due import AWAITED, is_cheap
from adjudication.agreement.figure_names import figure_names, why_out_of_date
from adjudication.agreement.forms import AgreementForm, SampleSizeForm
from adjudication.agreement.pages.figures import drawn_file, figures_context, people_context, tables_context
from adjudication.agreement.people import machines_confused
from adjudication.agreement.report import make_report
from adjudication.agreement.results import as_json
from adjudication.agreement.sample_size import items_needed, without_pilot
from adjudication.agreement.standing import fetch_standing, several_judged, standing_of
from adjudication.labels.counts import fetch_vote_standing
from adjudication.labels.labels import scale_of
from adjudication.labels.pages import fetch_scope
from adjudication.models import AgreementRun
from annotation.machines.machines import run_rows
from engines.extras import lacking, require
from engines.stats.audits.figures import FIGURES
from engines.stats.policies import TIE_POLICIES, VOTE_POLICIES
from engines.stats.statistics import STATISTICS

FORMS_OF_FILES = {"md": "markdown", "tex": "latex", "csv": "csv"}
TABLE_TYPES = {"md": "text/markdown", "tex": "application/x-tex", "csv": "text/csv"}
FIGURE_TYPES = {"svg": "image/svg+xml", "pdf": "application/pdf"}


@require_safe
def agreement_detail(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """The newest finished figures with what is newer than they are, or what to do to get any."""
    scope = fetch_scope(request, slug, campaign)
    if "agreement" not in scope.campaign.kind_object.tabs:  # nothing is graded there
        return redirect("extraction_agreement", slug, campaign)
    criterion = scope.criterion
    standing = fetch_standing(scope.campaign)
    form = form_again(request, AgreementForm())
    context = scope.criterion_context(standing=standing, form=form, section="agreement")
    context |= {"awaited": AWAITED, "comes_by_itself": standing.run is not None and is_cheap(standing.run)}
    if standing.job is not None and standing.job != standing.run:
        context["job"] = standing.job
    if standing.run is not None and criterion is not None and criterion.key in standing.run.detail:
        context["is_current"] = not standing.is_stale and not standing.verdicts_since
        shown = figures_context(request, standing.run, criterion)
        context |= shown | tables_context(standing.run, criterion, shown)
        context |= people_context(scope, standing.run, criterion)
        if shown["has_machines"]:
            context["machine_runs"] = run_rows(scope.campaign)
    else:
        context["several_judged"] = several_judged(scope.campaign)
    return render(request, "adjudication/agreement/agreement_detail.html", context)


@require_safe
def agreement_download(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """Every figure of one finished run as JSON, in the shape of the command's."""
    scope = fetch_scope(request, slug, campaign, page="agreement")
    run = get_object_or_404(AgreementRun, pk=pk, campaign=scope.campaign, state=JobState.DONE)
    answer = JsonResponse(as_json(run), json_dumps_params={"ensure_ascii": False, "allow_nan": False, "indent": 1})
    name = slugify(f"{scope.collection.slug}-{scope.campaign.slug}-agreement-{run.pk}")
    answer["Content-Disposition"] = f'attachment; filename="{name}.json"'
    return answer


@require_safe
def agreement_figure(request: HttpRequest, slug: str, campaign: str, pk: int, file: str) -> HttpResponseBase:
    """A figure for a paper, NAME.svg or NAME.pdf, drawn now. 404 for one that the run does not have."""
    scope = fetch_scope(request, slug, campaign, page="agreement")
    run = get_object_or_404(AgreementRun, pk=pk, campaign=scope.campaign, state=JobState.DONE)
    criterion, (name, _, form) = scope.criterion, file.rpartition(".")
    named = figure_names(run, criterion.key) if criterion is not None and criterion.key in run.detail else {}
    if criterion is None or name not in named or form not in FIGURE_TYPES:
        raise Http404("There is no such figure.")
    if reason := why_out_of_date(standing_of(run)):
        raise Refused(reason)
    require("matplotlib")
    from adjudication.agreement.figures import draw_figure  # matplotlib takes long to load

    stem = slugify(f"{scope.collection.slug}-{scope.campaign.slug}-{criterion.key}-{name.replace('_', '-')}")
    draw = partial(draw_figure, run, criterion.key, name, form)
    return drawn_file(request, draw, FIGURE_TYPES[form], f"{stem}.{form}")


@require_safe
def agreement_table(request: HttpRequest, slug: str, campaign: str, form: str) -> HttpResponse:
    """The table for a paper as a file: md, tex or csv. 404 for other forms, and before there are figures."""
    if form not in TABLE_TYPES:
        raise Http404("There is no such form.")
    scope = fetch_scope(request, slug, campaign, page="agreement")
    criterion = scope.criterion
    run = fetch_standing(scope.campaign).run
    if criterion is None or run is None or criterion.key not in run.detail:
        raise Http404("There are no figures yet.")
    text = FORMS[FORMS_OF_FILES[form]](run, criterion.key)
    answer = HttpResponse(text, content_type=f"{TABLE_TYPES[form]}; charset=utf-8")
    name = slugify(f"{scope.collection.slug}-{scope.campaign.slug}-{criterion.key}-agreement-{run.pk}")
    answer["Content-Disposition"] = f'attachment; filename="{name}.{form}"'
    return answer


@require_safe
def agreement_report(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """The newest figures as one table to paste into a paper, and what other ways of voting would have given."""
    scope = fetch_scope(request, slug, campaign, page="agreement")
    criterion = scope.criterion
    standing, votes = fetch_standing(scope.campaign), fetch_vote_standing(scope.campaign)
    context = scope.criterion_context(section="agreement", standing=standing, votes=votes)
    if criterion is not None and standing.run is not None and criterion.key in standing.run.detail:
        report = make_report(standing.run, criterion.key)
        context |= {
            "report": report,
            "markdown": as_markdown(report),
            "latex": as_latex(report),
            "table_forms": TABLE_TYPES,
        }
        context["figures"] = figure_names(standing.run, criterion.key)
        context["figure_forms"] = FIGURE_TYPES
        context["why_no_figures"] = why_out_of_date(standing) or lacking("matplotlib")
    else:
        context["several_judged"] = several_judged(scope.campaign)
    if criterion is not None and votes.run is not None:
        context["opinions"] = votes.run.detail.get(criterion.key)
        context["scale"] = scale_of(criterion)
        context["machines"] = machines_confused(votes.run, criterion, context["scale"])
        context["policies"] = {name: each.label for name, each in TIE_POLICIES.items()}
    return render(request, "adjudication/agreement/agreement_report.html", context)


@require_safe
def sample_size(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """The form, and the answer once it is sent; nothing is stored."""
    scope = fetch_scope(request, slug, campaign, page="agreement")
    criterion = scope.criterion
    form = SampleSizeForm(request.GET if "statistic" in request.GET else None)
    context = scope.criterion_context(section="sample", form=form)
    context["has_pilot"] = criterion is not None and criterion.judgments.exists()
    form.fields["assumed"].is_needed = not context["has_pilot"]  # type: ignore[attr-defined]
    if criterion is not None and form.is_valid():
        with RefusalReport(lambda reason: context.update(refused=reason)):
            if assumed := form.cleaned_data["assumed"]:
                people = scope.campaign.overlap
                share = form.cleaned_data["points"] / 100
                context["assumed"] = without_pilot(assumed / 100, share, people * (people - 1) // 2)
            else:
                context["needed"] = items_needed(scope.campaign, criterion, form.aim(), check=True)
    return render(request, "adjudication/agreement/sample_size.html", context)


@login_not_required
@require_safe
def statistics_help(request: HttpRequest) -> HttpResponse:
    """Every statistic with its formula, range and scale, and every rule of a vote. Open to everybody, as all help."""
    rules = [each for each in TIE_POLICIES.values() if not each.needs]
    context = {"statistics": STATISTICS.values(), "votes": VOTE_POLICIES.values(), "rules": rules}
    return render(request, "adjudication/agreement/statistics_help.html", context | {"audited": FIGURES.values()})
