"""Calls to authors, for managers: they hold people's addresses, so nobody else sees them."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts import jobs
from accounts.mail import why_links_open_only_here
from accounts.refusal_messages import refusals_in_form, refusals_in_message
from accounts.refusals import Reason
from accounts.requests import Request
from corpus.collections.pages.context import collection_context, form_page
from corpus.collections.rules import fetch_manager
from corpus.models import Collection, Membership, QuestionCall
from corpus.questions.author_calls import (
    NO_MAIL,
    NOT_OVER,
    Equal,
    Invited,
    create_call,
    invite_authors,
    revoke_author,
    take_in_questions,
    update_call,
)
from corpus.questions.author_links import answer_link
from corpus.questions.authors import (
    STATES,
    answers_of,
    authors_in_state,
    call_state,
    calls_of,
    contributors_of,
    letter_faults,
    letters_of,
    sample_letter,
)
from corpus.questions.forms.authors import AuthorForm, AuthorsFileForm, CallForm
from engines.text.markdown import render_markdown

AUTHORS_PER_PAGE = 50
SHOWN_PROBLEMS = 50
SHOWN_EQUALS = 5


def _call(membership: Membership, pk: int) -> QuestionCall:
    found: QuestionCall = get_object_or_404(membership.collection.question_calls.select_related("collection"), pk=pk)
    return found


@require_safe
def author_call_list(request: Request, slug: str) -> HttpResponse:
    """The calls, and the names for the acknowledgements."""
    membership = fetch_manager(request.user, slug)
    contributors = contributors_of(membership.collection)
    context = collection_context(
        membership, "authors", calls=calls_of(membership.collection), contributors=contributors
    )
    return render(request, "corpus/questions/author_call_list.html", context)


@form_page
def author_call_create(request: Request, slug: str) -> HttpResponse:
    """Write a call."""
    membership = fetch_manager(request.user, slug)
    form = CallForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and not _only_preview(request):
        with refusals_in_form(form):
            call = create_call(
                by=request.user, at=timezone.now(), collection=membership.collection, **form.cleaned_data
            )
            return redirect("author_call_detail", call.collection.slug, call.pk)
    context = collection_context(membership, "authors", form=form, **_preview(form, membership.collection, None))
    return render(request, "corpus/questions/author_call_edit.html", context, status=422 if form.errors else 200)


def _only_preview(request: Request) -> bool:
    """Whether the letter is only to be looked at: what a browser without script asks for."""
    return request.POST.get("step") == "preview"


@form_page
def author_call_edit(request: Request, slug: str, pk: int) -> HttpResponse:
    """Change a call."""
    membership = fetch_manager(request.user, slug)
    call = _call(membership, pk)
    form = CallForm.of(call, request.POST if request.method == "POST" else None)
    if form.is_valid() and not _only_preview(request):
        with refusals_in_form(form):
            update_call(by=request.user, at=timezone.now(), call=call, **form.cleaned_data)
            messages.success(request, "Call saved.")
            return redirect("author_call_detail", slug, pk)
    context = collection_context(
        membership, "authors", form=form, call=call, **_preview(form, membership.collection, call)
    )
    return render(request, "corpus/questions/author_call_edit.html", context, status=422 if form.errors else 200)


@require_safe
def author_call_detail(request: Request, slug: str, pk: int) -> HttpResponse:
    """Who was asked and who answered, the letter as it goes out, and what can be done next."""
    membership = fetch_manager(request.user, slug)
    context = call_context(request, membership, _call(membership, pk))
    return render(request, "corpus/questions/author_call_detail.html", context)


@require_POST
def author_invitation_import(request: Request, slug: str, pk: int) -> HttpResponse:
    """Ask everybody in a CSV file."""
    membership = fetch_manager(request.user, slug)
    call, form = _call(membership, pk), AuthorsFileForm(request.POST, request.FILES)
    invited = None
    if form.is_valid():
        file = form.cleaned_data["file"]
        with refusals_in_form(form, "file"):
            invited = invite_authors(by=request.user, at=timezone.now(), call=call, file=file.name, stream=file.file)
    context = call_context(request, membership, call, None if invited else form, invited)
    return render(request, "corpus/questions/author_call_detail.html", context, status=200 if invited else 422)


@require_POST
def author_invitation_revoke(request: Request, slug: str, pk: int, invitation: int) -> HttpResponse:
    """Take an invitation back."""
    membership = fetch_manager(request.user, slug)
    rows = _call(membership, pk).invitations.select_related("call__collection")
    found = get_object_or_404(rows, pk=invitation)
    with refusals_in_message(request):
        revoke_author(by=request.user, at=timezone.now(), invitation=found)
        messages.success(request, f"The link of {found.email} no longer works.")
    return redirect("author_call_detail", slug, pk)


@require_POST
def author_question_take_in(request: Request, slug: str, pk: int) -> HttpResponse:
    """Make topics of the answers."""
    membership = fetch_manager(request.user, slug)
    with refusals_in_message(request):
        taken_in = take_in_questions(by=request.user, at=timezone.now(), call=_call(membership, pk))
        if taken_in.topics:
            made = "1 topic was" if len(taken_in.topics) == 1 else f"{len(taken_in.topics):,} topics were"
            messages.success(request, f"{made} made of the answers.")
        if taken_in.equal:
            messages.warning(request, _equal_message(taken_in.equal))
    return redirect("author_call_detail", slug, pk)


@require_POST
def author_letter_preview(request: Request, slug: str) -> HttpResponse:
    """What was typed so far as the first author will get it, for htmx. `call` names a call that is there already."""
    membership = fetch_manager(request.user, slug)
    pk = request.POST.get("call", "")
    rows = membership.collection.question_calls
    call = get_object_or_404(rows, pk=int(pk) if pk.isdecimal() and len(pk) < 19 else 0) if pk else None
    context = _preview(CallForm(request.POST), membership.collection, call)
    return render(request, "corpus/questions/_author_preview.html", context)


def _preview(form: CallForm, collection: Collection, call: QuestionCall | None) -> dict[str, Any]:
    """The letter (or what is wrong with it) and the guideline, from what stands in the form."""
    values: dict[str, Any]
    if form.is_bound:
        form.is_valid()
        values = form.cleaned_data
    else:
        values = {name: form[name].value() for name in form.fields} | {"deadline_at": call and call.deadline_at}
    words = {name: values.get(name) or "" for name in ("mail_subject", "mail_body")}
    typed = QuestionCall(pk=call.pk if call else None, collection=collection, **words)
    typed.deadline_at = values.get("deadline_at")  # type: ignore[assignment] # none until a day is chosen
    faults = letter_faults(typed)
    return {
        "faults": faults,
        "letter": None if faults else sample_letter(typed),
        "guideline": render_markdown(values.get("guideline") or "", headings_from=3),
        "is_written": True,
    }


def _equal_message(equal: list[Equal]) -> str:
    named = "; ".join(f"{each.email} asks what topic {each.topic} asks" for each in equal[:SHOWN_EQUALS])
    more = f"; and {len(equal) - SHOWN_EQUALS:,} more" if len(equal) > SHOWN_EQUALS else ""
    return f"No topic was made of questions that already exist: {named}{more}. The answers stay here as they are."


def call_context(
    request: HttpRequest,
    membership: Membership,
    call: QuestionCall,
    file_form: AuthorsFileForm | None = None,
    invited: Invited | None = None,
) -> dict[str, Any]:
    """The page of a call; `form` asks one author."""
    state = request.GET.get("state", "")
    rows = authors_in_state(call, state if state in STATES else "")
    page = Paginator(rows, AUTHORS_PER_PAGE).get_page(request.GET.get("page"))
    shown = list(page.object_list)
    letters, answers = letters_of(shown), answers_of(shown)
    call_values, place = call_state(call, timezone.now()), (call.collection.slug, call.pk)
    if call_values["mailing"]:
        jobs.with_live_progress(call_values["mailing"])
    return collection_context(
        membership,
        "authors",
        call=call,
        why_only_here=why_links_open_only_here(),
        state=state,
        states=list(STATES),
        page=page,
        rows=[
            {"author": each, "letter": letters.get(each.pk), "answer": answers.get(each.pk), "link": answer_link(each)}
            for each in shown
        ],
        guideline=render_markdown(call.guideline, headings_from=3),
        no_mail=Reason(NO_MAIL, "Copy links", "author_call_detail", *place, after="#authors-heading"),
        not_over=Reason(NOT_OVER, "Change the deadline", "author_call_edit", *place),
        form=AuthorForm(),
        file_form=file_form or AuthorsFileForm(),
        invited=invited,
        problems=invited.problems[:SHOWN_PROBLEMS] if invited else [],
        **call_values,
    )
