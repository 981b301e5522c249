"""Invitations into a collection by e-mail: created, sent again, revoked, accepted once."""

import logging
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from smtplib import SMTPException
from typing import Any

from django.core.mail import send_mail
from django.db import transaction
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from accounts import mail
from accounts.actions import create_user
from accounts.audit import record_event
from accounts.counting import day
from accounts.extensions import extensions
from accounts.languages import in_language_of
from accounts.models import Invitation, User
from accounts.refusals import Conflict, NotAllowed, Refused
from corpus.collections.address_lists import Address
from corpus.collections.collections import open_invitations
from corpus.collections.invitation_links import invitation_number, link_for, proves_address
from corpus.collections.rules import check_can_manage
from corpus.models import Collection, InvitedRole, Membership, Role

logger = logging.getLogger(__name__)

VALID_FOR = timedelta(days=14)
MOST_NAMED = 5  # of those who were not invited, in a message
RELATED = ("invitation__invited_by", "collection")


class BadInvitation(Refused):
    """The link does not work (any longer); the reason says which of forged, used, revoked or expired it is."""


@dataclass(frozen=True)
class Acceptance:
    """The result: `joined` is False for somebody who was a member already; their role stays as it was."""

    membership: Membership
    joined: bool


@dataclass(frozen=True, slots=True)
class NotInvited:
    """An address of a list that was not invited, and why."""

    line: int = field(metadata={"help": "of the list, from 1"})
    email: str
    reason: str

    def __str__(self) -> str:
        return f"Line {self.line:,}: {self.reason}"


@dataclass(frozen=True, slots=True)
class InvitationReport:
    """The result of a list. `unsent`: the invitations whose link no mail server took; their links are handed over."""

    invited: list[InvitedRole]
    unsent: list[InvitedRole]
    refused: list[NotInvited]
    is_dry: bool = False

    def __str__(self) -> str:
        return f"{len(self.invited):,} {'person is' if len(self.invited) == 1 else 'people are'} invited."

    def as_json(self) -> dict[str, Any]:
        """For the API and commands; a dry run has no links."""
        unsent = {each.pk for each in self.unsent}
        invited = [
            {
                "email": each.invitation.email,
                "role": str(each.role),
                "link": "" if self.is_dry else link_for(each.invitation),
                "mailed": not self.is_dry and each.pk not in unsent,
            }
            for each in self.invited
        ]
        return {"dry_run": self.is_dry, "invited": invited, "refused": [asdict(each) for each in self.refused]}

    @property
    def dry_run_summary(self) -> str:
        """What `str` says, for a dry run."""
        return f"{len(self.invited):,} {'person' if len(self.invited) == 1 else 'people'} would be invited."

    @property
    def not_invited(self) -> str:
        """How many were refused, and why the first of them; "" where nobody was."""
        if not self.refused:
            return ""
        more = f" And {len(self.refused) - MOST_NAMED:,} more." if len(self.refused) > MOST_NAMED else ""
        return f"Not invited: {len(self.refused):,}. {' '.join(map(str, self.refused[:MOST_NAMED]))}{more}"


@transaction.atomic
def create_invitation(
    *, by: User, at: datetime, membership: Membership, email: str, role: Role, mail_language: str = ""
) -> InvitedRole:
    """Ask an address to join in a role, in a language; refused for members and who has been asked already."""
    check_can_manage(membership)
    collection = Collection.objects.select_for_update().get(pk=membership.collection_id)
    email = email.lower()
    if Membership.objects.filter(collection=collection, user__email=email).exists():
        raise Conflict(f"{email} is in this collection already. Change their role instead.")
    if open_invitations(collection).filter(invitation__email=email).exists():
        raise Conflict(f"{email} has been invited already. Send that invitation again, or revoke it first.")
    invitation = Invitation.objects.create(
        email=email, invited_by=by, created_at=at, expires_at=at + VALID_FOR, language=mail_language
    )
    invited = InvitedRole.objects.create(invitation=invitation, collection=collection, role=role)
    _record(by, at, "create_invitation", invited)
    return invited


def invite_several(
    *,
    by: User,
    at: datetime,
    membership: Membership,
    emails: Sequence[Address],
    role: Role,
    mail_language: str = "",
    dry_run: bool = False,
) -> InvitationReport:
    """Invite each address by itself, and mail it the link. With `dry_run` nothing is stored and nobody gets a mail."""
    invited, refused = [], []
    with transaction.atomic() if dry_run else nullcontext():
        for address in emails:
            try:
                invited.append(
                    create_invitation(
                        by=by, at=at, membership=membership, email=address.email, role=role, mail_language=mail_language
                    )
                )
            except Conflict as conflict:
                refused.append(NotInvited(address.line, address.email, conflict.reason))
        if dry_run:
            transaction.set_rollback(True)
            return InvitationReport(invited, [], refused, is_dry=True)
    unsent = [each for each in invited if not (mail.is_set_up() and mail_invitation(each))]
    return InvitationReport(invited, unsent, refused)


@transaction.atomic
def resend_invitation(*, by: User, at: datetime, membership: Membership, invited: InvitedRole) -> InvitedRole:
    """Make the same link good for another fortnight, whether it has expired or not."""
    check_can_manage(membership)
    invited = _locked_open(invited)
    invited.invitation.expires_at = at + VALID_FOR
    invited.invitation.save(update_fields=["expires_at"])
    _record(by, at, "resend_invitation", invited)
    return invited


@transaction.atomic
def revoke_invitation(*, by: User, at: datetime, membership: Membership, invited: InvitedRole) -> None:
    """The link no longer works."""
    check_can_manage(membership)
    invited = _locked_open(invited)
    invited.invitation.revoked_at = at
    invited.invitation.save(update_fields=["revoked_at"])
    for leave in extensions("revocations").values():
        leave(invited, by, at)
    _record(by, at, "revoke_invitation", invited)


def mail_invitation(invited: InvitedRole) -> bool:
    """Send the link that proves the address. False if the mail server did not take it."""
    invitation = invited.invitation
    context = {"invited": invited, "invitation": invitation, "link": link_for(invitation, mailed=True)}
    with in_language_of(User.objects.filter(email=invitation.email).first(), invitation.language):
        subject = _("Litmus: you are invited to {title}").format(title=" ".join(invited.collection.title.split()))
        text = render_to_string("corpus/collections/invitation_mail.txt", context)
    try:
        send_mail(subject, text, None, [invitation.email])
    except (SMTPException, OSError):
        logger.exception("The invitation %s could not be mailed", invitation.pk)
        return False
    return True


def find_invitation(*, token: str, at: datetime, for_update: bool = False) -> InvitedRole:
    """The open invitation of a link. Errors: BadInvitation, which says why there is none."""
    rows = InvitedRole.objects.select_related(*RELATED)
    if for_update:
        rows = rows.select_for_update(of=("invitation",))
    invited = rows.filter(invitation=invitation_number(token)).first()
    if invited is None:
        raise BadInvitation(_("This link is incomplete. Copy the whole link from the message, or ask for a new one."))
    invitation = invited.invitation
    if invitation.accepted_at:
        raise BadInvitation(_("This invitation has already been accepted; each link works once. Sign in."))
    if invitation.revoked_at:
        raise BadInvitation(_("This invitation has been revoked. {whom}").format(whom=_ask(invitation)))
    if invitation.expires_at <= at:
        raise BadInvitation(
            _("This invitation was valid until {day}. {whom}").format(
                day=day(invitation.expires_at), whom=_ask(invitation)
            )
        )
    return invited


@transaction.atomic
def accept_invitation(*, by: User, at: datetime, token: str) -> Acceptance:
    """Join, as the person the invitation was sent to, who has signed in."""
    return _accept(by, at, token, proof="account")


def _accept(by: User, at: datetime, token: str, *, proof: str) -> Acceptance:
    """`proof`, for the audit: how it is known that it is the invited person."""
    invited = find_invitation(token=token, at=at, for_update=True)
    email = invited.invitation.email
    if by.email.lower() != email:
        raise Refused(
            _("This invitation is for {email}, and you are signed in as {email2}.").format(email=email, email2=by.email)
        )
    membership, joined = Membership.objects.get_or_create(
        collection=invited.collection, user=by, defaults={"role": invited.role, "created_at": at}
    )
    invited.invitation.accepted_at, invited.invitation.accepted_by = at, by
    invited.invitation.save(update_fields=["accepted_at", "accepted_by"])
    for arrive in extensions("arrivals").values():  # of apps above, inside the transaction
        arrive(membership, invited, at)
    facts = {"role": membership.role, "joined": joined, "proof": proof}
    record_event(by=by, at=at, verb="accept_invitation", target=by, scope=invited.collection, **facts)
    return Acceptance(membership, joined)


@transaction.atomic
def accept_as_new_user(*, at: datetime, token: str, name: str, password: str) -> Acceptance:
    """Make an account for the invited address and join with it; refused where the address has one.

    Where there is a mail server, only by the link in the mail: the inviter must not take the place of the invited.
    """
    invited = find_invitation(token=token, at=at, for_update=True)
    is_proven = proves_address(token)
    if mail.is_set_up() and not is_proven:
        raise NotAllowed(
            _("Open the link in the mail to {email} to create an account.").format(email=invited.invitation.email)
        )
    user = create_user(by=None, at=at, email=invited.invitation.email, password=password, name=name)
    return _accept(user, at, token, proof="mail" if is_proven else "link")


def _locked_open(invited: InvitedRole) -> InvitedRole:
    """The invitation as it is now, locked; refused if it has been accepted or revoked meanwhile."""
    rows = InvitedRole.objects.select_related(*RELATED).select_for_update(of=("invitation",))
    found = rows.get(pk=invited.pk)
    if found.invitation.accepted_at:
        raise Conflict(_("{email} has accepted this invitation already.").format(email=found.invitation.email))
    if found.invitation.revoked_at:
        raise Conflict("This invitation has been revoked already. Invite the address again.")
    return found


def _ask(invitation: Invitation) -> str:
    return _("Ask {invited_by} for a new one.").format(invited_by=invitation.invited_by)


def _record(by: User, at: datetime, verb: str, invited: InvitedRole) -> None:
    record_event(by=by, at=at, verb=verb, target=invited.invitation, scope=invited.collection, role=invited.role)
