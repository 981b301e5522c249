"""A person's collections; one made, described, renamed, archived, saved as a file and deleted."""

from django.contrib import messages
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.edits import edited_values, remember_shown
from accounts.models import AuditEvent
from accounts.refusal_messages import refusals_in_form
from accounts.requests import Request
from corpus.collections.backup import backup_response
from corpus.collections.collections import (
    create_collection,
    memberships_of,
    rename_collection,
    take_backup,
    update_collection,
    why_not_archived,
)
from corpus.collections.forms import AddressForm, CollectionForm, NewCollectionForm
from corpus.collections.pages.audit import audit_file
from corpus.collections.pages.context import collection_context
from corpus.collections.rules import can_create_collections, check_can_create_collections, fetch_manager
from corpus.models import CollectionRemoval, Membership

SHOWN_EVENTS = 20
WHAT_TO_END = "First end what is open:"


@require_safe
def collection_list(request: Request) -> HttpResponse:
    """The collections one is a member of."""
    mine = list(memberships_of(request.user))
    context = {
        "memberships": [each for each in mine if not each.collection.archived_at],
        "archived": [each for each in mine if each.collection.archived_at],
        "may_create": can_create_collections(request.user),
    }
    return render(request, "corpus/collections/collection_list.html", context)


@require_http_methods(["GET", "POST"])
def collection_create(request: Request) -> HttpResponse:
    """Make a collection; the person who makes it becomes its manager."""
    check_can_create_collections(request.user)
    form = NewCollectionForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refusals_in_form(form, "slug"):
            collection = create_collection(by=request.user, at=timezone.now(), **form.cleaned_data)
            messages.success(request, "Collection created. Next, import documents and invite people.")
            return redirect("collection_dashboard", collection.slug)
    return render(
        request, "corpus/collections/collection_create.html", {"form": form}, status=422 if form.errors else 200
    )


@require_http_methods(["GET", "POST"])
def collection_edit(request: Request, slug: str) -> HttpResponse:
    """Change title, description, licence and language."""
    membership = fetch_manager(request.user, slug)
    form = CollectionForm(request.POST if request.method == "POST" else None, instance=membership.collection)
    remember_shown(form)
    if form.is_valid():
        update_collection(by=request.user, at=timezone.now(), collection=membership.collection, **edited_values(form))
        messages.success(request, "Description saved.")
        return redirect("collection_edit", slug)
    membership.collection.refresh_from_db()  # the form has written its invalid values onto it
    context = _settings_context(membership) | {"form": form}
    return render(request, "corpus/collections/collection_edit.html", context, status=422 if form.errors else 200)


@require_POST
def collection_rename(request: Request, slug: str) -> HttpResponse:
    """Give the collection another short name."""
    membership = fetch_manager(request.user, slug)
    form = AddressForm(request.POST)
    if form.is_valid():
        with refusals_in_form(form, "slug"):
            collection = rename_collection(
                by=request.user, at=timezone.now(), collection=membership.collection, slug=form.cleaned_data["slug"]
            )
            messages.success(request, f"The short name is now {collection.slug}. Links with {slug} keep working.")
            return redirect("collection_edit", collection.slug)
    context = _settings_context(membership) | {"address_form": form}
    return render(request, "corpus/collections/collection_edit.html", context, status=422)


@require_safe
def collection_backup(request: Request, slug: str) -> StreamingHttpResponse:
    """Everything in the collection as one file."""
    membership = fetch_manager(request.user, slug)
    logged = request.method == "GET"
    take_backup(by=membership.user, at=timezone.now(), collection=membership.collection, logged=logged)
    return backup_response(membership.collection)


@require_safe
def collection_removal(request: Request, pk: int) -> HttpResponse:
    """A deletion: its progress, and the audit log that it leaves. For the person who asked for it."""
    run = get_object_or_404(CollectionRemoval, pk=pk, requested_by=request.user)
    events = AuditEvent.objects.filter(scope_id=run.collection_id).order_by("-id")[:SHOWN_EVENTS]
    return render(request, "corpus/collections/collection_removal.html", {"run": run, "events": events})


@require_safe
def collection_removal_audit(request: Request, pk: int) -> StreamingHttpResponse:
    """The audit log of a deleted collection as CSV. For the person who deleted it."""
    run = get_object_or_404(CollectionRemoval, pk=pk, requested_by=request.user)
    return audit_file(AuditEvent.objects.filter(scope_id=run.collection_id), run.slug)


def _settings_context(membership: Membership) -> dict[str, object]:
    """The page of settings, with its forms as they are before anything is sent."""
    collection = membership.collection
    return collection_context(membership, "settings") | {
        "form": CollectionForm(instance=collection),
        "address_form": AddressForm(initial={"slug": collection.slug}),
        "what_to_end": WHAT_TO_END,
        "no_archiving": [] if collection.archived_at else why_not_archived(collection),
    }
