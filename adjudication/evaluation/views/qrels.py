"""Deleting imported qrels. They come in as every import does."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from accounts.refusal_messages import refusals_in_message
from adjudication.evaluation.actions import delete_qrels
from adjudication.models import ImportedQrels
from corpus.collections.rules import fetch_manager


@require_POST
def qrels_delete(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Delete imported qrels."""
    membership = fetch_manager(request.user, slug)
    qrels = get_object_or_404(
        ImportedQrels.objects.select_related("collection"), collection=membership.collection, pk=pk
    )
    with refusals_in_message(request):
        delete_qrels(qrels=qrels, by=membership.user, at=timezone.now())
        messages.success(request, f"Qrels {qrels.name} deleted.")
    return redirect("evaluation_list", slug)
