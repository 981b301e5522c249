"""The page behind an author's personal link: open to everyone with the link, and showing nothing of other people."""

from typing import Any

from allauth.core import ratelimit
from django.contrib.auth.decorators import login_not_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from accounts.refusals import Conflict, Refused
from accounts.requests import OpenRequest
from corpus.models import AuthorAnswer, AuthorInvitation
from corpus.questions.author_answers import (
    CHANGED_ELSEWHERE,
    BadLink,
    find_author,
    opt_out,
    submit_answer,
    why_closed,
    withdraw_answer,
)
from corpus.questions.authors import deadline_words, newest_answer
from corpus.questions.forms.authors import AnswerForm, QuestionForm
from engines.text.markdown import render_markdown
from engines.text.overlap import WORDS, word_overlap

EASY = 0.5  # share of words in the title from which the page advises other words
TOO_MANY = gettext_lazy(
    "Too many tries in a short time. Wait a minute, then send it again; nothing you typed is lost on this page."
)


@login_not_required
@require_http_methods(["GET", "POST"])
def author_answer(request: OpenRequest, token: str) -> HttpResponse:
    """Read what is asked, write a question, consent and send it, change it until the deadline."""
    try:
        invitation = find_author(token)
        if request.method == "POST":
            submit = _go_on if request.POST.get("step") == "question" else _submit
            return submit(request, token, invitation)
        return _show(request, token, invitation, _form_of(invitation))
    except BadLink as refusal:
        return _bad_link(request, refusal)


@login_not_required
@require_POST
def author_withdrawal(request: OpenRequest, token: str) -> HttpResponse:
    """Take the question back."""
    try:
        withdraw_answer(at=timezone.now(), token=token)
    except BadLink as refusal:
        return _bad_link(request, refusal)
    except Refused:
        pass  # withdrawn in another window already
    return redirect("author_answer", token)


@login_not_required
@csrf_exempt  # a mail program's one-click request has no cookie; the link itself is the key
@require_http_methods(["GET", "POST"])
def author_opt_out(request: OpenRequest, token: str) -> HttpResponse:
    """Ask not to be written to: a page with a button, because mail programs follow links automatically."""
    try:
        if request.method == "POST":
            opt_out(at=timezone.now(), token=token)
            return render(request, "corpus/questions/author_opt_out.html", {"done": True})
        return render(
            request, "corpus/questions/author_opt_out.html", {"invitation": find_author(token, even_revoked=True)}
        )
    except BadLink as refusal:
        return _bad_link(request, refusal)


def _go_on(request: OpenRequest, token: str, invitation: AuthorInvitation) -> HttpResponse:
    """From the question to consent and credit. Nothing is kept yet."""
    form = QuestionForm(request.POST)
    if not form.is_valid() or why_closed(invitation, timezone.now()):
        return _show(request, token, invitation, form, status=422)
    last = newest_answer(invitation)
    if last and not last.withdrawn:
        return _show_newer(request, token, invitation, Conflict(CHANGED_ELSEWHERE))
    typed = form.cleaned_data | {"credit_name": invitation.name}
    return _show(request, token, invitation, AnswerForm(initial=typed))


def _submit(request: OpenRequest, token: str, invitation: AuthorInvitation) -> HttpResponse:
    form = AnswerForm(request.POST)
    if not ratelimit.consume(request, action="author_answer", key=token):
        form.add_error(None, TOO_MANY)
        return _show(request, token, invitation, form, status=429)
    if form.is_valid():
        try:
            submit_answer(at=timezone.now(), token=token, **form.cleaned_data)
        except BadLink:
            raise
        except Conflict as conflict:
            return _show_newer(request, token, invitation, conflict)
        except Refused as refusal:
            form.add_error(None, refusal.reason)
        else:
            return redirect("author_answer", token)
    return _show(request, token, invitation, form, status=422)


def _show_newer(request: OpenRequest, token: str, invitation: AuthorInvitation, conflict: Conflict) -> HttpResponse:
    """The typed question, above the one that another window has sent; sending again replaces that."""
    last = newest_answer(invitation)
    sent = request.POST.copy()
    sent["seen"] = str(last.revision if last else 0)
    form = AnswerForm(sent)
    form.add_error(None, conflict.reason)
    return _show(request, token, invitation, form, status=409)


def _form_of(invitation: AuthorInvitation) -> QuestionForm:
    last = newest_answer(invitation)
    if last is None or last.withdrawn:
        return QuestionForm(initial={"seen": last.revision if last else 0})
    return AnswerForm(
        initial={
            "text": last.text,
            "consent": True,
            "show_name": bool(last.credit_name),
            "credit_name": last.credit_name or invitation.name,
            "seen": last.revision,
        }
    )


def _show(
    request: OpenRequest, token: str, invitation: AuthorInvitation, form: QuestionForm, status: int = 200
) -> HttpResponse:
    last = newest_answer(invitation)
    answer = None if last is None or last.withdrawn else last
    context: dict[str, Any] = {
        "token": token,
        "invitation": invitation,
        "call": invitation.call,
        "collection": invitation.call.collection,
        "paper": invitation.document,
        "guideline": render_markdown(invitation.call.guideline, headings_from=2),
        "form": form,
        "is_last_step": isinstance(form, AnswerForm),
        "answer": answer,
        "withdrawn": last is not None and last.withdrawn,
        "deadline": deadline_words(invitation.call.deadline_at),
        "shows_other": answer is not None and form.is_bound,
        "closed": why_closed(invitation, timezone.now()),
        "easy": answer is not None and _is_easy(answer, invitation),
    }
    return render(request, "corpus/questions/author_answer.html", context, status=status)


def _is_easy(answer: AuthorAnswer, invitation: AuthorInvitation) -> bool:
    share = word_overlap(answer.text, [invitation.document.title], WORDS)  # as a search compares them
    return share is not None and share > EASY


def _bad_link(request: OpenRequest, refusal: BadLink) -> HttpResponse:
    return render(request, "corpus/questions/author_bad_link.html", {"reason": refusal.reason}, status=410)
