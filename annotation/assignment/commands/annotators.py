"""litmus add_annotators SLUG CAMPAIGN [EMAIL …] [--name NAME …]"""

from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction
from django.utils import timezone

from accounts.management.reporting import IN_CAMPAIGN, PROGRAM, ReportingCommand
from accounts.refusals import Refused
from annotation.assignment.annotators import add_members_by_email, add_name
from annotation.campaigns.campaigns import campaign_with
from annotation.models import AnnotatorKind


class AddCommand(ReportingCommand):
    called = "add_annotators"
    where = IN_CAMPAIGN
    task = "Judge"
    example = "add_annotators demo second-round ada@litmus.example ben@litmus.example chloe@litmus.example"
    line = "Let members and invited people judge in a campaign"
    help = (
        "Add members of the collection and invited people as annotators, by e-mail address. With"
        " --name, add a person without an account or a machine, whose judgments are imported."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("emails", nargs="*", metavar="EMAIL", help="address of a member or of an invited person")
        parser.add_argument("--name", help="name of a person without an account, or of a machine")
        parser.add_argument("--kind", choices=AnnotatorKind.values, help="kind of annotator with this --name (human)")
        parser.add_argument("--model", help="only for a machine: the model that answers")

    @transaction.atomic
    def carry_out(self, *, slug: str, campaign: str, **options: Any) -> tuple[str, dict[str, Any]]:
        found, at, added = campaign_with(slug, campaign), timezone.now(), []
        named = {name: options[name] for name in ("name", "kind", "model") if options[name] is not None}
        if not options["emails"] and "name" not in named:
            raise Refused("Nobody to add. Give addresses of members, or --name for a person without an account.")
        if named and "name" not in named:
            raise Refused("--kind and --model describe the annotator of --name. Give --name too.")
        if options["emails"]:
            added += add_members_by_email(campaign=found, emails=options["emails"], by=None, at=at)
        if named:
            added.append(add_name(campaign=found, by=None, at=at, **named))
        names = sorted(each.name for each in added)
        words = f"Added {', '.join(names)}." if names else "These people already judge in this campaign."
        words += f" Assign items to members with {PROGRAM} assign." if options["emails"] else ""
        words += (
            " People without an account get no items: import their judgments with import_judgments." if named else ""
        )
        return words, {"campaign": found.slug, "annotators": names}
