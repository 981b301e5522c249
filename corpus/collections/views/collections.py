"""My collections; making one; describing one."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from accounts.refusal_messages import refusals_in_form
from accounts.requests import Request
from corpus.collections.actions.collections import create_collection, update_collection
from corpus.collections.forms.collections import CollectionForm, NewCollectionForm
from corpus.collections.reads.collections import memberships_of
from corpus.collections.rules import can_create_collections, check_can_create_collections, fetch_manager
from corpus.collections.views.archiving import settings_context


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
    """Make a collection; its maker becomes its manager."""
    check_can_create_collections(request.user)
    form = NewCollectionForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refusals_in_form(form, "slug"):
            collection = create_collection(by=request.user, at=timezone.now(), **form.cleaned_data)
            messages.success(request, "Collection created. Next: import documents and invite people.")
            return redirect("collection_dashboard", collection.slug)
    return render(
        request, "corpus/collections/collection_create.html", {"form": form}, status=422 if form.errors else 200
    )


@require_http_methods(["GET", "POST"])
def collection_edit(request: Request, slug: str) -> HttpResponse:
    """Change title, description and licence."""
    membership = fetch_manager(request.user, slug)
    form = CollectionForm(request.POST if request.method == "POST" else None, instance=membership.collection)
    if form.is_valid():
        update_collection(by=request.user, at=timezone.now(), membership=membership, **form.cleaned_data)
        messages.success(request, "The description of the collection is saved.")
        return redirect("collection_edit", slug)
    membership.collection.refresh_from_db()  # the form has written its invalid values onto it
    context = settings_context(membership) | {"form": form}
    return render(request, "corpus/collections/collection_edit.html", context, status=422 if form.errors else 200)
