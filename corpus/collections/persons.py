"""A person's data: everything about them as one object; their name and address replaced by a pseudonym, on request."""

import logging
from collections.abc import Callable
from datetime import datetime
from smtplib import SMTPException
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.core.mail import send_mail
from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts import jobs
from accounts.audit import record_event
from accounts.extensions import extensions
from accounts.mail import whole_address
from accounts.models import FINAL_STATES, AuditEvent, Digest, ErasureRequest, User
from accounts.refusals import Conflict, Refused
from corpus.collections.collections import is_erased
from corpus.collections.people import bid_farewell
from corpus.collections.rules import check_can_see_people
from corpus.models import Membership, PersonErasure, Role

logger = logging.getLogger(__name__)

Report = Callable[[User], dict[str, Any]]
Guard = Callable[[User, User], None]  # who asks, and about whom. Errors: NotAllowed


def data_of(user: User) -> dict[str, Any]:
    """All that Litmus stores about the person, JSON-safe: account, memberships, actions, and what they judged."""
    data: dict[str, Any] = {
        "account": {"id": user.pk, "email": user.email, "name": user.name, "joined": user.date_joined.isoformat()},
        "preferences": user.preferences,
        "erasure_request": ErasureRequest.objects.filter(user=user).values("keep_labels", "requested_at").first(),
        "daily_mail": Digest.objects.filter(user=user).values("day", "covered_until").first(),
        "memberships": list(user.memberships.values("collection__slug", "role")),
        "tokens": [
            {"label": label, "created": created.isoformat()}
            for label, created in user.api_tokens.values_list("label", "created_at")
        ],
        "actions": [
            {"at": event.at.isoformat(), "verb": event.verb, "collection": event.scope, "target": event.target}
            for event in AuditEvent.objects.filter(actor_id=user.pk).order_by("id").iterator()
        ],
    }
    reports: dict[str, Report] = extensions("person_reports")
    for report in reports.values():
        data |= report(user)
    return data


@transaction.atomic
def take_out_data(*, by: User | None, at: datetime, user: User) -> dict[str, Any]:
    """A person's data, taken out by staff at the person's request; logged. Errors: NotAllowed, also while labels are
    hidden from these staff."""
    check_can_see_people(by)
    if by is not None:
        guards: dict[str, Guard] = extensions("person_guards")
        for guard in guards.values():
            guard(by, user)
    record_event(by=by, at=at, verb="export_person", target=user)
    return data_of(user)


@transaction.atomic
def request_erasure(*, by: User, at: datetime, keep_labels: bool) -> ErasureRequest:
    """Ask staff to erase one's name and address. Asking again changes what becomes of the labels."""
    found = ErasureRequest.objects.update_or_create(
        user=by, defaults={"keep_labels": keep_labels}, create_defaults={"keep_labels": keep_labels, "requested_at": at}
    )[0]
    record_event(by=by, at=at, verb="request_erasure", target=by, labels=_labels(keep_labels))
    transaction.on_commit(lambda: _mail_staff(by))
    return found


@transaction.atomic
def withdraw_erasure_request(*, by: User, at: datetime) -> None:
    """Stay after all. Errors: Conflict where nothing was asked for."""
    if not ErasureRequest.objects.filter(user=by).delete()[0]:
        raise Conflict(_("You have not asked for your data to be erased."))
    record_event(by=by, at=at, verb="withdraw_erasure_request", target=by)


def _mail_staff(person: User) -> None:
    """One mail to each member of staff. They see the request on their first page too, so a failure is only logged."""
    link = whole_address(reverse("person_detail", args=[person.pk]))
    text = f"{person} ({person.email}) asks for their name and address to be erased.\n\nDecide it here: {link}\n"
    for address in User.objects.filter(is_staff=True, is_active=True).values_list("email", flat=True):
        try:
            send_mail("Litmus: a person asks for erasure", text, None, [address])
        except (SMTPException, OSError):
            logger.warning("The request of person %s could not be mailed to staff.", person.pk)
            return


@transaction.atomic
def request_person_erasure(
    *, by: User | None, at: datetime, user: User, confirm: str, keep_labels: bool, send: bool = True
) -> PersonErasure:
    """End the person's access now, and let a job replace their name and address by a pseudonym everywhere.

    `confirm` must be their address. Their labels stay under the pseudonym, or are withdrawn, in archived collections
    too. Free texts that they wrote themselves stay as they are.
    Errors: NotAllowed but for staff; Conflict while it is being done; Refused for oneself, for who is erased already
    and for the only manager of a collection.
    """
    check_can_see_people(by)
    user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if user == by:
        raise Refused("This is your own account. Ask another member of staff, or the operator, to erase it.")
    if is_erased(user):
        raise Refused(f"The data of {user} was erased already.")
    if confirm.strip().lower() != user.email:
        raise Refused(f"Type the address exactly as shown: {user.email}. Nothing was erased.")
    if user.erasures.exclude(state__in=FINAL_STATES).exists():
        raise Conflict(f"{user} is being erased already.")
    _check_can_leave(user)
    _end_access(user, by or user, at)
    fields = {"person": user, "keep_labels": keep_labels}
    run = jobs.new_job(PersonErasure, by=by, at=at, send=send, **fields)
    record_event(by=by, at=at, verb="request_person_erasure", target=user, labels=_labels(keep_labels))
    return run


def _end_access(user: User, by: User, at: datetime) -> None:
    """No way in is left, and what they still had to judge goes to others."""
    for membership in user.memberships.select_related("collection", "user"):
        bid_farewell(membership, by, at)
    user.memberships.all().delete()
    user.api_tokens.all().delete()
    EmailAddress.objects.filter(user=user).delete()
    SocialAccount.objects.filter(user=user).delete()
    Authenticator.objects.filter(user=user).delete()
    user.is_active = user.is_staff = user.is_superuser = False
    user.set_unusable_password()
    user.save()


def _labels(keep: bool) -> str:
    return "kept" if keep else "excluded"


def _check_can_leave(user: User) -> None:
    managed = user.memberships.filter(role=Role.MANAGER).values("collection")
    others = Membership.objects.filter(role=Role.MANAGER).exclude(user=user).values("collection")
    alone = Membership.objects.filter(user=user, collection__in=managed).exclude(collection__in=others)
    if titles := [each.collection.title for each in alone.select_related("collection")]:
        raise Refused(f"{user} is the only manager of {', '.join(titles)}. Make someone else a manager first.")
