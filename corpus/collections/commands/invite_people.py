"""manage.py invite_people SLUG FILE --by EMAIL [--role ROLE] [--dry-run] [--json]"""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts.management.reporting import ReportingCommand, text_of, user_with
from accounts.refusals import Refused
from corpus.collections.actions.invitations import Several, invite_several
from corpus.collections.address_lists import HELP, read_addresses
from corpus.collections.invitation_links import link_for
from corpus.collections.reads.collections import collection_with
from corpus.collections.rules import check_can_manage, check_not_archived
from corpus.models import Membership, Role


class Command(ReportingCommand):
    help = "Invite all e-mail addresses of a list into a collection. Each gets a link that is good for fourteen days."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument("file", help=f"the addresses, or - for standard input. {HELP}")
        parser.add_argument("--by", required=True, metavar="EMAIL", help="the manager in whose name people are invited")
        parser.add_argument("--role", choices=Role.values, default=Role.ANNOTATOR.value)
        parser.add_argument("--dry-run", action="store_true", help="only say who would be invited")

    def carry_out(
        self, *, slug: str, file: str, by: str, role: str, dry_run: bool, **_: Any
    ) -> tuple[str, dict[str, Any]]:
        collection, inviting = collection_with(slug), user_with(by)
        membership = Membership.objects.filter(collection=collection, user=inviting).first()
        if membership is None:
            raise Refused(f"{inviting.email} is not in {slug}. Name one of its managers with --by.")
        check_not_archived(collection)
        check_can_manage(membership)
        several = invite_several(
            by=inviting,
            at=timezone.now(),
            membership=membership,
            emails=read_addresses(text_of(file)),
            role=Role(role),
            dry_run=dry_run,
        )
        return _summary(several), several.data()


def _summary(several: Several) -> str:
    said = [f"{several.would} Nothing was changed." if several.is_dry else str(several)]
    if several.unsent:
        said.append(f"{len(several.unsent):,} mails were not sent. Hand over these links:")
        said += [f"{each.invitation.email} {link_for(each.invitation)}" for each in several.unsent]
    return "\n".join([*said, *([several.not_invited] if several.refused else [])])
