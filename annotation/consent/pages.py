"""What a collection asks its annotators to agree to, who agreed, and who they are in groups."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.consent.backgrounds import background_groups
from annotation.consent.consents import consent_rows
from annotation.models import Consent
from corpus.collections.pages.context import collection_context
from corpus.collections.rules import fetch_manager


@require_safe
def consent_detail(request: HttpRequest, slug: str) -> HttpResponse:
    """The text that is asked for now; everybody's answer; backgrounds, where they were ever asked for."""
    membership = fetch_manager(request.user, slug)
    collection = membership.collection
    users = Consent.objects.filter(text__collection=collection, withdrawn_at=None).values_list("user", flat=True)
    groups = background_groups(collection, users) if collection.consent_texts.filter(asks_background=True) else {}
    shown = {"newest": collection.consent_texts.first(), "rows": consent_rows(collection), "groups": groups}
    return render(request, "annotation/consent/consent_detail.html", collection_context(membership, "consent", **shown))
