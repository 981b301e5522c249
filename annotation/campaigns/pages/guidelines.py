"""Guidelines: written with a preview, read in any version, compared."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.refusals import Conflict, NotAllowed, Refused
from annotation.campaigns.forms.campaigns import GuidelineForm
from annotation.campaigns.guidelines import write_guideline
from annotation.campaigns.pages.context import campaign_context, fetch_for_manager, fetch_for_participant
from engines.text.differences import compare_texts


@require_http_methods(["GET", "POST"])
def guideline_edit(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Write the next version, with a preview next to the text."""
    membership, found = fetch_for_manager(request, slug, campaign)
    newest = found.guidelines.select_related("created_by").first()
    initial = {"body": newest.body if newest else "", "based_on": newest.version if newest else 0}
    form = GuidelineForm(request.POST or None, initial=initial)
    conflict = None
    if form.is_valid():
        try:
            written = write_guideline(campaign=found, by=membership.user, at=timezone.now(), **form.cleaned_data)
        except NotAllowed:
            raise
        except Refused as refusal:
            form.add_error("body", refusal.reason)
            conflict = newest if isinstance(refusal, Conflict) else None
        else:
            if newest and written.pk == newest.pk:
                messages.info(request, f"The text has not changed: it is still version {written.version}.")
            else:
                messages.success(request, f"Version {written.version} saved. Annotators will see that it changed.")
            return redirect("guideline_edit", slug, campaign)
    typed = str(form["body"].value() or "")
    context = campaign_context(
        membership,
        found,
        "guideline",
        form=form,
        newest=newest,
        versions=found.guidelines.select_related("created_by"),
        may_rejudge=found.guidelines.count() > 1 and not found.kind_object.no_repeats,
        preview=typed,
        differences=compare_texts(conflict.body, typed.replace("\r\n", "\n")) if conflict else None,
    )
    if conflict:  # saving again means that the newer text was seen
        context["based_on"] = conflict.version
    return render(request, "annotation/campaigns/guideline_edit.html", context, status=422 if form.errors else 200)


@require_POST
def guideline_preview(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """What the text will look like, for htmx."""
    fetch_for_manager(request, slug, campaign)
    return render(request, "annotation/campaigns/_guideline_preview.html", {"preview": request.POST.get("body", "")})


@require_safe
def guideline_detail(request: HttpRequest, slug: str, campaign: str, version: int) -> HttpResponse:
    """One version as annotators read it, and how it differs from the one before."""
    membership, found = fetch_for_participant(request, slug, campaign)
    guideline = get_object_or_404(found.guidelines.select_related("created_by"), version=version)
    before = found.guidelines.filter(version=version - 1).first()
    context = campaign_context(
        membership,
        found,
        "guideline",
        guideline=guideline,
        before=before,
        differences=compare_texts(before.body, guideline.body) if before else None,
        versions=found.guidelines.values_list("version", flat=True),
    )
    return render(request, "annotation/campaigns/guideline_detail.html", context)
