"""Inviting people, and what an invited person sees."""

from allauth.core import ratelimit
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts import mail
from accounts.actions import set_language
from accounts.forms import NewAccountForm
from accounts.languages import language_for_guest
from accounts.models import User
from accounts.passwords import may_have_password
from accounts.refusal_messages import refusals_in_form
from accounts.refusals import Conflict
from accounts.requests import Request
from corpus.collections.collections import ROLE_WORDS
from corpus.collections.forms import InvitationForm, InvitationListForm
from corpus.collections.invitation_links import proves_address
from corpus.collections.invitations import (
    Acceptance,
    BadInvitation,
    accept_as_new_user,
    accept_invitation,
    create_invitation,
    find_invitation,
    invite_several,
    mail_invitation,
    resend_invitation,
    revoke_invitation,
)
from corpus.collections.pages.people import show_people
from corpus.collections.rules import fetch_manager
from corpus.models import InvitedRole, Role

BACKEND = "django.contrib.auth.backends.ModelBackend"


@require_POST
def invitation_create(request: Request, slug: str) -> HttpResponse:
    """Invite an address into the collection."""
    membership = fetch_manager(request.user, slug)
    form = InvitationForm(request.POST)
    if form.is_valid():
        with refusals_in_form(form, "email"):
            invited = create_invitation(by=request.user, at=timezone.now(), membership=membership, **form.cleaned_data)
            _mail(request, invited)
            return redirect("member_list", slug)
    return show_people(request, membership, form=form)


@require_POST
def invitation_list_create(request: Request, slug: str) -> HttpResponse:
    """Invite all addresses of a pasted list, or only say who would be invited."""
    membership = fetch_manager(request.user, slug)
    form = InvitationListForm(request.POST)
    if not form.is_valid():
        return show_people(request, membership, list_form=form)
    is_dry = "preview" in request.POST
    report = invite_several(
        by=request.user, at=timezone.now(), membership=membership, dry_run=is_dry, **form.cleaned_data
    )
    if is_dry:
        return show_people(request, membership, list_form=form, would_invite=report)
    if report.invited:
        messages.success(request, str(report))
    if report.unsent:
        messages.warning(request, f"{len(report.unsent):,} mails were not sent. Hand over the links in the list below.")
    if report.refused:
        messages.warning(request, report.not_invited)
    return redirect("member_list", slug)


@require_POST
def invitation_resend(request: Request, slug: str, pk: int) -> HttpResponse:
    """Mail the link again and make it good for another fortnight."""
    membership = fetch_manager(request.user, slug)
    invited = get_object_or_404(InvitedRole, pk=pk, collection=membership.collection)
    invited = resend_invitation(by=request.user, at=timezone.now(), membership=membership, invited=invited)
    _mail(request, invited)
    return redirect("member_list", slug)


@require_POST
def invitation_revoke(request: Request, slug: str, pk: int) -> HttpResponse:
    """Take an invitation back."""
    membership = fetch_manager(request.user, slug)
    invited = get_object_or_404(InvitedRole.objects.select_related("invitation"), pk=pk, collection__slug=slug)
    revoke_invitation(by=request.user, at=timezone.now(), membership=membership, invited=invited)
    messages.success(request, f"The invitation of {invited.invitation.email} is revoked: its link no longer works.")
    return redirect("member_list", slug)


@login_not_required
@require_http_methods(["GET", "POST"])
def invitation_accept(request: Request, token: str) -> HttpResponse:
    """What an invited person sees: join, sign in to join, make an account to join, or why none of it is possible.

    Whether the address has an account is shown only to who opens the link that was mailed to it.
    """
    try:
        invited = find_invitation(token=token, at=timezone.now())
        translation.activate(language_for_guest(request, invited.invitation.language))
        if request.user.is_authenticated:
            return _accept_as_known(request, token, invited)
        if not proves_address(token) and may_have_password(invited.invitation.email):
            return _prove(request, invited) if mail.is_set_up() else _accept_as_new(request, token, invited)
        has_account = User.objects.filter(email=invited.invitation.email).exists()
        if has_account or not may_have_password(invited.invitation.email):
            return _page(request, "corpus/collections/invitation_sign_in.html", invited)
        return _accept_as_new(request, token, invited)
    except BadInvitation as refusal:
        return render(request, "corpus/collections/invitation_bad.html", {"reason": refusal.reason}, status=410)


def _accept_as_known(request: Request, token: str, invited: InvitedRole) -> HttpResponse:
    if request.user.email.lower() != invited.invitation.email:
        return _page(request, "corpus/collections/invitation_mismatch.html", invited, status=409)
    if request.method != "POST":
        return _page(request, "corpus/collections/invitation_join.html", invited)
    return _welcome(request, accept_invitation(by=request.user, at=timezone.now(), token=token))


def _prove(request: Request, invited: InvitedRole) -> HttpResponse:
    """Sign in, or have the link that proves the address mailed to it: the same whether there is an account or not."""
    template = "corpus/collections/invitation_prove.html"
    if request.method != "POST":
        return _page(request, template, invited)
    if not ratelimit.consume(request, action="invitation_mail", key=str(invited.pk)):
        return _page(request, template, invited, status=429, problem=_("Too many mails were requested. Wait an hour."))
    if not mail_invitation(invited):
        return _page(request, template, invited, status=503, problem=_("The mail could not be sent. Try again later."))
    return _page(request, template, invited, is_sent=True)


def _accept_as_new(request: Request, token: str, invited: InvitedRole) -> HttpResponse:
    """Choose a password. Who only has the link may also sign in: the page does not say which is possible."""
    form = NewAccountForm(request.POST if request.method == "POST" else None, email=invited.invitation.email)
    if form.is_valid():
        try:
            accepted = accept_as_new_user(
                at=timezone.now(), token=token, name=form.cleaned_data["name"], password=form.cleaned_data["password"]
            )
        except Conflict as conflict:  # there is an account
            form.add_error(None, conflict.reason)
        else:
            set_language(by=accepted.membership.user, language=translation.get_language() or "")
            login(request, accepted.membership.user, backend=BACKEND)
            return _welcome(request, accepted)
    more = {"form": form, "may_sign_in": not proves_address(token)}
    status = 422 if form.errors else 200
    return _page(request, "corpus/collections/invitation_new_account.html", invited, status=status, **more)


def _page(request: Request, template: str, invited: InvitedRole, status: int = 200, **context: object) -> HttpResponse:
    words, has_passwords = ROLE_WORDS[Role(invited.role)], may_have_password(invited.invitation.email)
    shown = {"invited": invited, "words": words, "has_passwords": has_passwords, **context}
    return render(request, template, shown, status=status)


def _welcome(request: Request, accepted: Acceptance) -> HttpResponse:
    collection = accepted.membership.collection
    if accepted.joined:
        messages.success(
            request,
            _("Welcome to {collection}. You joined as {role}.").format(
                collection=collection, role=_(accepted.membership.get_role_display())
            ),
        )
    else:
        messages.info(
            request,
            _("You were in {collection} already, as {role}; your role has not changed.").format(
                collection=collection, role=_(accepted.membership.get_role_display())
            ),
        )
    return redirect("collection_dashboard", collection.slug)


def _mail(request: Request, invited: InvitedRole) -> None:
    email = invited.invitation.email
    if not mail.is_set_up():
        messages.warning(request, f"{email} is invited. The mail was {mail.NO_SERVER}. Hand over the link below.")
    elif mail_invitation(invited):
        messages.success(request, f"The invitation was sent to {email}.")
    else:
        messages.warning(request, f"The mail to {email} could not be sent. Copy the link below and hand it over.")
