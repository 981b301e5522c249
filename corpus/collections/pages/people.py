"""The people of a collection."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.forms import Form
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.text import capfirst
from django.views.decorators.http import require_http_methods, require_POST

from accounts.counting import counted
from accounts.mail import why_links_open_only_here
from accounts.refusals import Conflict, NotAllowed, Refused, refusal_reason
from accounts.requests import Request
from corpus.collections.collections import (
    NAMES,
    ROLE_WORDS,
    count_managers,
    list_members,
    open_invitations,
)
from corpus.collections.forms import InvitationForm, InvitationListForm, RoleForm
from corpus.collections.invitation_links import link_for
from corpus.collections.invitations import InvitationReport
from corpus.collections.pages.context import collection_context
from corpus.collections.people import change_role, remove_member
from corpus.collections.rules import (
    can_manage,
    check_can_change_role,
    check_can_manage,
    check_can_remove,
    fetch_membership,
    fetch_overseer,
)
from corpus.models import Membership, Role
from corpus.tables import Column, Step, Table, read_table, wants_file

PER_PAGE = 100

COLUMNS = (
    Column("person", "Person", lambda member: str(member.user), NAMES),
    Column("email", "", lambda member: member.user.email),
    Column("role", "Role", lambda member: member.get_role_display(), ("rank",)),
    Column("since", "Since", lambda member: member.created_at.date(), ("created_at",)),
)


@require_http_methods(["GET", "HEAD", "POST"])
def member_list(request: Request, slug: str) -> HttpResponseBase:
    """Members by role; managers also see invitations and can change things, for several people at once too."""
    membership = fetch_overseer(request.user, slug)
    if request.method == "POST":
        check_can_manage(membership)
    elif not wants_file(request):
        return show_people(request, membership)
    table, members = _find(request, membership)
    return table.carry_out(request, members) if request.method == "POST" else table.download(members)


def show_people(
    request: Request, membership: Membership, *, would_invite: InvitationReport | None = None, **forms: Form
) -> HttpResponse:
    """The page; `forms` (`form`, `list_form`) as they were sent, else empty. `would_invite`: the dry run of a list."""
    table, members = _find(request, membership)
    page = Paginator(members, PER_PAGE).get_page(request.GET.get("page"))
    managers = count_managers(membership.collection)
    text, role = request.GET.get("q", ""), request.GET.get("role", "")
    context = collection_context(membership, "people") | {
        "table": table,
        "page": page,
        "rows": [_member_row(membership, each, managers) for each in page.object_list],
        "members_heading": counted(page.paginator.count, "person", "people"),
        "text": text,
        "role": role,
        "is_narrowed": bool(text or role),
        "roles": [(value, capfirst(label)) for value, label in Role.choices],
        "role_words": [(role.label, ROLE_WORDS[role]) for role in Role],
        "invitations": (invitations := _invitation_rows(membership) if can_manage(membership) else []),
        "all_links": _all_links(invitations),
        "why_only_here": why_links_open_only_here(),
        "would_invite": would_invite,
    }
    context |= {"form": InvitationForm(), "list_form": InvitationListForm()} | forms
    return render(
        request, "corpus/collections/member_list.html", context, status=422 if forms and would_invite is None else 200
    )


def _find(request: Request, membership: Membership) -> tuple[Table, QuerySet[Any]]:
    """The table and the members that the address asks for."""
    role = request.GET.get("role", "")
    members = list_members(membership.collection, request.GET.get("q", "").strip(), role if role in Role.values else "")
    steps = _steps(membership) if can_manage(membership) else ()
    table = read_table(request, f"{membership.collection.slug}-people", COLUMNS, steps)
    return table, table.ordered(members)


def _steps(membership: Membership) -> tuple[Step, ...]:
    facts: dict[str, Any] = {"by": membership.user, "at": timezone.now(), "membership": membership}

    def others(act: Callable[..., None], **more: Any) -> Callable[[Membership], None]:
        """The action, refused for the person's own row: they would lose this page in the middle of it."""

        def carry_out(target: Membership) -> None:
            if target.pk == membership.pk:
                raise Refused("Change your own role and membership in your own row.")
            act(**facts, target=target, **more)

        return carry_out

    roles = (
        Step(role.value, f"Make {role.label}", f"People who are now {role.label}", others(change_role, role=role))
        for role in Role
    )
    confirm = "Remove the selected people? Their judgments are kept and count; their open items become free for others."
    return (*roles, Step("remove", "Remove", "People removed", others(remove_member), confirm))


@require_POST
def member_update(request: Request, slug: str, pk: int) -> HttpResponse:
    """Give a member another role."""
    membership, target = _fetch(request, slug, pk)
    form = RoleForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Choose one of the roles.")
        return redirect("member_list", slug)
    role: Role = form.cleaned_data["role"]
    try:
        change_role(by=request.user, at=timezone.now(), membership=membership, target=target, role=role)
    except (NotAllowed, Conflict):
        raise
    except Refused as refusal:
        messages.error(request, refusal.reason)
    else:
        messages.success(request, f"{target.user} is now {role.label}.")
        if target.pk == membership.pk and role == Role.ANNOTATOR:
            return redirect("home")  # annotators do not see this page
    return redirect("member_list", slug)


@require_POST
def member_remove(request: Request, slug: str, pk: int) -> HttpResponse:
    """Remove a member, or leave."""
    membership, target = _fetch(request, slug, pk)
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


def _fetch(request: Request, slug: str, pk: int) -> tuple[Membership, Membership]:
    """The person's own membership, and the one that is to change."""
    membership = fetch_membership(request.user, slug)
    target = get_object_or_404(Membership.objects.select_related("user"), pk=pk, collection=membership.collection)
    return membership, target


def _member_row(membership: Membership, target: Membership, managers: int) -> dict[str, Any]:
    """A member, and why their role cannot be changed or they cannot be removed ("" where it can be done)."""
    return {
        "member": target,
        "key": str(target.pk),
        "is_me": target.pk == membership.pk,
        "no_change": refusal_reason(check_can_change_role, membership, target, managers),
        "no_removal": refusal_reason(check_can_remove, membership, target, managers),
    }


def _all_links(rows: list[dict[str, Any]]) -> str:
    """Address, tab and link of each invitation that is valid, oldest first; "" for less than two."""
    lines = [f"{row['invited'].invitation.email}\t{row['link']}" for row in reversed(rows) if not row["expired"]]
    return "\n".join(lines) if len(lines) > 1 else ""


def _invitation_rows(membership: Membership) -> list[dict[str, Any]]:
    now = timezone.now()
    return [
        {"invited": each, "link": link_for(each.invitation), "expired": each.invitation.expires_at <= now}
        for each in open_invitations(membership.collection)
    ]
