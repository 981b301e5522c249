"""The people of a collection."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.refusals import Conflict, NotAllowed, Refused
from accounts.requests import Request
from corpus.collections.actions.people import change_role, remove_member
from corpus.collections.forms.people import InvitationForm, RoleForm
from corpus.collections.invitation_links import link_for
from corpus.collections.reads.people import RoleGroup, invitation_is_expired, members_by_role, open_invitations
from corpus.collections.rules import (
    can_manage,
    check_can_change_role,
    check_can_oversee,
    check_can_remove,
    fetch_membership,
)
from corpus.models import Membership, Role


@require_safe
def member_list(request: Request, slug: str) -> HttpResponse:
    """Members by role; managers also see invitations and can change things."""
    membership = fetch_membership(request.user, slug)
    check_can_oversee(membership)
    return show_people(request, membership, InvitationForm())


def show_people(request: Request, membership: Membership, form: InvitationForm) -> HttpResponse:
    """The page, with the form as it was sent or empty."""
    groups = members_by_role(membership.collection)
    context: dict[str, Any] = {
        "membership": membership,
        "collection": membership.collection,
        "tab": "people",
        "groups": [(group, [_member_row(membership, each, groups) for each in group.members]) for group in groups],
        "total": sum(len(group.members) for group in groups),
        "roles": Role.choices,
        "may_manage": can_manage(membership),
        "form": form,
        "invitations": _invitation_rows(membership) if can_manage(membership) else [],
    }
    return render(request, "corpus/collections/member_list.html", context, status=422 if form.errors else 200)


@require_POST
def member_update(request: Request, slug: str, pk: int) -> HttpResponse:
    """Give a member another role."""
    membership = fetch_membership(request.user, slug)
    target = get_object_or_404(Membership.objects.select_related("user"), pk=pk, collection=membership.collection)
    form = RoleForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Choose one of the roles.")
        return redirect("member_list", slug)
    try:
        change_role(
            by=request.user, at=timezone.now(), membership=membership, target=target, role=form.cleaned_data["role"]
        )
    except (NotAllowed, Conflict):
        raise
    except Refused as refusal:
        messages.error(request, refusal.reason)
    else:
        messages.success(request, f"{target.user} is now {Role(form.cleaned_data['role']).label}.")
        if target.pk == membership.pk and form.cleaned_data["role"] == Role.ANNOTATOR:
            return redirect("home")  # annotators do not see this page
    return redirect("member_list", slug)


@require_POST
def member_remove(request: Request, slug: str, pk: int) -> HttpResponse:
    """Remove a member, or leave."""
    membership = fetch_membership(request.user, slug)
    target = get_object_or_404(Membership.objects.select_related("user"), pk=pk, collection=membership.collection)
    try:
        remove_member(by=request.user, at=timezone.now(), membership=membership, target=target)
    except (NotAllowed, Conflict):
        raise
    except Refused as refusal:
        messages.error(request, refusal.reason)
        return redirect("member_list", slug)
    if target.pk == membership.pk:
        messages.success(request, f"You have left {membership.collection}.")
        return redirect("home")
    messages.success(request, f"{target.user} is no longer in this collection. What they judged stays.")
    return redirect("member_list", slug)


def _member_row(membership: Membership, target: Membership, groups: list[RoleGroup]) -> dict[str, Any]:
    """A member, and why their role cannot be changed or they cannot go ("" where it can be done)."""
    managers = next(len(group.members) for group in groups if group.role == Role.MANAGER)
    return {
        "member": target,
        "key": str(target.pk),
        "is_me": target.pk == membership.pk,
        "no_change": _reason(check_can_change_role, membership, target, managers),
        "no_removal": _reason(check_can_remove, membership, target, managers),
    }


def _reason(check: Any, *facts: Any) -> str:
    try:
        check(*facts)
    except Refused as refusal:
        return refusal.reason
    return ""


def _invitation_rows(membership: Membership) -> list[dict[str, Any]]:
    now = timezone.now()
    return [
        {
            "invited": invited,
            "link": link_for(invited.invitation),
            "expired": invitation_is_expired(invited, now),
        }
        for invited in open_invitations(membership.collection)
    ]
