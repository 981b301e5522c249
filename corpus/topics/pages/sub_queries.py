"""Sub-queries of complex queries: made by a rule, read, taken away."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.refusals import Reason
from accounts.refused_forms import form_again
from corpus.collections.pages.context import collection_context
from corpus.collections.rules import fetch_manager, fetch_overseer
from corpus.topics.forms import SizeForm, SubQueryFilterForm
from corpus.topics.sub_queries import remove_sub_queries
from corpus.topics.topics import list_sub_queries, most_aspects, sizes_of

PER_PAGE = 50
TOO_FEW = "No topic has two aspects yet, and a sub-query is made of some of them. First write aspects."


@require_safe
def sub_query_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The sub-queries, narrowed to a size or a topic, and the form that makes them."""
    membership = fetch_overseer(request.user, slug)
    collection = membership.collection
    filters = SubQueryFilterForm(request.GET).filters
    page = Paginator(list_sub_queries(collection, **filters), PER_PAGE).get_page(request.GET.get("page"))
    sizes = sizes_of(collection)
    form = form_again(request, SizeForm())
    context = collection_context(membership, "sub-queries", form=form, sizes=sizes, filters=filters, page=page)
    most = most_aspects(collection)
    context |= {
        "most_aspects": most,
        "can_make": most > 1,
        "why_none": Reason(TOO_FEW, "Go to the topics", "topic_list", slug),
    }
    return render(request, "corpus/topics/sub_query_list.html", context)


@require_POST
def sub_query_delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Take away the sub-queries of one size."""
    membership = fetch_manager(request.user, slug)
    form = SizeForm(request.POST)
    if form.is_valid():
        size = form.cleaned_data["size"]
        count = remove_sub_queries(by=membership.user, at=timezone.now(), collection=membership.collection, size=size)
        messages.success(request, f"{count:,} sub-queries deleted. You can make them again at any time.")
    return redirect("sub_query_list", slug)
