"""manage.py add_annotators SLUG CAMPAIGN [EMAIL …] [--name NAME …] · update_annotator SLUG CAMPAIGN NAME …"""

from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction
from django.utils import timezone

from accounts.management.reporting import ReportingCommand
from accounts.refusals import Refused
from annotation.assignment.actions.annotators import add_members_by_email, add_name, change_annotator
from annotation.campaigns.reads.campaigns import campaign_with
from annotation.models import Annotator, AnnotatorKind, AnnotatorState, Campaign

REPORTED = ("name", "kind", "state", "weight", "capacity")


class AddCommand(ReportingCommand):
    help = (
        "Let members of the collection judge in a campaign, by their addresses. With --name, add somebody without an"
        " account, or a machine, whose judgments are imported."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument("campaign", help="short name of the campaign")
        parser.add_argument("emails", nargs="*", metavar="EMAIL", help="address of a member")
        parser.add_argument("--name", help="of somebody without an account, or of a machine")
        parser.add_argument("--kind", choices=AnnotatorKind.values, help="what bears the --name (human)")
        parser.add_argument("--model", help="of the machine: what answers")

    @transaction.atomic
    def carry_out(self, *, slug: str, campaign: str, **options: Any) -> tuple[str, dict[str, Any]]:
        found, at, added = campaign_with(slug, campaign), timezone.now(), []
        named = {name: options[name] for name in ("name", "kind", "model") if options[name] is not None}
        if not options["emails"] and "name" not in named:
            raise Refused("Nobody to add. Give addresses of members, or --name for somebody without an account.")
        if named and "name" not in named:
            raise Refused("--kind and --model describe the annotator of --name. Give --name too.")
        if options["emails"]:
            added += add_members_by_email(campaign=found, emails=options["emails"], by=None, at=at)
        if named:
            added.append(add_name(campaign=found, by=None, at=at, **named))
        names = sorted(each.name for each in added)
        words = f"Added {', '.join(names)}." if names else "They judge in this campaign already."
        words += " Give members items with manage.py assign." if options["emails"] else ""
        words += " Without an account nobody is given items: import_judgments takes their judgments." if named else ""
        return words, {"campaign": found.slug, "annotators": names}


class UpdateCommand(ReportingCommand):
    help = "Change an annotator of a campaign: name, weight, capacity, or whether they judge (active, paused, removed)."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument("campaign", help="short name of the campaign")
        parser.add_argument("annotator", metavar="NAME", help="name or address of the annotator")
        parser.add_argument("--name", help="another name")
        parser.add_argument("--weight", type=float, metavar="W", help="share of the load, and of weighted votes (1)")
        capacity = parser.add_mutually_exclusive_group()
        capacity.add_argument("--capacity", type=int, metavar="N", help="most items to assign")
        capacity.add_argument("--no-capacity", action="store_true", help="no limit")
        parser.add_argument("--state", choices=AnnotatorState.values, help="whether they judge")

    def carry_out(self, *, slug: str, campaign: str, annotator: str, **options: Any) -> tuple[str, dict[str, Any]]:
        found = _annotator_of(campaign_with(slug, campaign), annotator)
        changes = {name: options[name] for name in ("name", "weight", "capacity", "state") if options[name] is not None}
        if options["no_capacity"]:
            changes["capacity"] = None
        if not changes:
            raise Refused("Nothing to change. Give --name, --weight, --capacity, --no-capacity or --state.")
        changed = change_annotator(annotator=found, by=None, at=timezone.now(), **changes)
        return f"Changed {changed.name}.", {name: getattr(changed, name) for name in REPORTED}


def _annotator_of(campaign: Campaign, name: str) -> Annotator:
    """Errors: Refused for a name that nobody in the campaign has, with those that there are."""
    people = {each.name: each for each in campaign.annotators.select_related("user").order_by("name")}
    by_email = {each.user.email: each for each in people.values() if each.user}
    found = people.get(name) or by_email.get(name.lower())
    if found is None:
        there = f" There are: {', '.join(people)}." if people else " It has none."
        raise Refused(f"There is no annotator {name} in {campaign.slug}.{there}")
    return found
