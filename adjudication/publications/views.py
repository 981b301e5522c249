"""The page of a release's publications: the form, and the result of each."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.refusal_messages import refusals_in_form
from accounts.refusals import refusal_reason
from adjudication.publications.actions import request_publication
from adjudication.publications.forms import PublicationForm
from adjudication.releases.rules import check_can_open, check_can_read_release
from corpus.collections.rules import check_can_manage, fetch_membership
from corpus.collections.views.context import collection_context


@sensitive_post_parameters("token")
@require_http_methods(["GET", "HEAD", "POST"])
def publication_create(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """What was published of a release, with the form below it; POST asks for a publication."""
    membership = fetch_membership(request.user, slug)
    check_can_read_release(membership)
    check_can_manage(membership)
    release = get_object_or_404(membership.collection.releases.frozen().select_related("collection"), name=name)
    form = PublicationForm(request.POST if request.method == "POST" else None, release=release)
    if request.method == "POST" and form.is_valid():
        with refusals_in_form(form):
            job = request_publication(release=release, by=membership.user, at=timezone.now(), **form.cleaned_data)
            return redirect("job_detail", "publications", job.pk)
    context = collection_context(membership, "releases") | {
        "release": release,
        "publications": release.publications.select_related("requested_by").order_by("-pk"),
        "not_public": refusal_reason(check_can_open, release),
        "form": form,
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "adjudication/publications/publication_form.html", context, status=status)
