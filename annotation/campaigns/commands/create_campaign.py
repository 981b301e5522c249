"""litmus create_campaign SLUG NAME --kind K [--overlap K] [--split S] [--config FILE.toml] … [--json]"""

from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction
from django.utils import timezone

from accounts.management.reporting import IN_COLLECTION, PROGRAM, ReportingCommand
from annotation.assignment.annotators import add_members_by_email
from annotation.campaigns.commands.choice import add_choice_arguments, choice_of
from annotation.campaigns.commands.settings import add_deadline, add_setting_arguments, file_of, settings_of
from annotation.campaigns.copying import TEMPLATE_HELP
from annotation.campaigns.items import build_first_items
from annotation.campaigns.lifecycle import create_campaign
from annotation.kind import DEFAULT_KIND, calibration_in_words
from annotation.models.campaigns import KIND_CHOICES
from corpus.collections.collections import collection_with

REPORTED = ("slug", "name", "kind", "split", "overlap", "order", "strategy", "seed")


class CreateCampaign(ReportingCommand):
    called = "create_campaign"
    where = IN_COLLECTION
    task = "Judge"
    example = 'create_campaign demo "Second round" --template graded'
    line = "Make a campaign as a draft, with the items to judge"
    help = (
        "Make a draft campaign, with items built from aspects and pools (or papers). Options"
        " override the file of --config."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("name", help="of the campaign; its own short name is made from it")
        parser.add_argument("--template", default="", metavar="NAME", help=TEMPLATE_HELP)
        parser.add_argument(
            "--kind", choices=[*dict(KIND_CHOICES)], help=f"what is judged (default: the template's, or {DEFAULT_KIND})"
        )
        parser.add_argument(
            "--slug", default="", dest="short_name", help="its short name (made from the name if absent)"
        )
        add_setting_arguments(parser)
        add_deadline(parser)
        parser.add_argument("--sample", type=int, metavar="N", help="take N items drawn by the seed instead of all")
        parser.add_argument("--stratified", action="store_true", help="draw the same number from each topic or source")
        add_choice_arguments(parser)
        parser.add_argument("--calibration", type=int, metavar="N", help="N items are judged by more people")
        parser.add_argument(
            "--calibration-overlap", type=int, metavar="K", help=f"judges of each of these ({calibration_in_words()})"
        )
        parser.add_argument(
            "--annotator", action="append", default=[], metavar="EMAIL", help="member who judges; repeat"
        )

    @transaction.atomic
    def carry_out(self, *, slug: str, name: str, **options: Any) -> tuple[str, dict[str, Any]]:
        file = file_of(options)
        settings = settings_of(options, file) | {"name": name}
        sample = settings.pop("sample", None)
        at = timezone.now()
        campaign = create_campaign(
            collection=collection_with(slug),
            by=None,
            at=at,
            slug=options["short_name"],
            template=options["template"],
            criteria=file.criteria,
            guideline=file.guideline,
            options=file.options,
            **settings,
        )
        added = add_members_by_email(campaign=campaign, emails=options["annotator"], by=None, at=at)
        kind, size = campaign.kind_object, options["calibration"]
        built, calibrated = build_first_items(
            campaign=campaign,
            by=None,
            at=at,
            sample=sample,
            stratified=options["stratified"],
            choice=choice_of(kind, options),
            calibration=None if size is None else {"sample": size, "overlap": options["calibration_overlap"]},
        )
        result = {
            **{name: getattr(campaign, name) for name in REPORTED},
            "deadline": campaign.deadline and campaign.deadline.isoformat(),
            "items": built.items,
            "pairs_left": built.left,
            "filtered": built.filtered,
            "calibration": calibrated,
            "annotators": sorted(each.name for each in added),
        }
        advice = "" if built.items else f" There are no {kind.words.lacking}, then {PROGRAM} build_items."
        if built.filtered:
            advice = f" {built.filtered:,} questions are left out by the word-overlap filter."
        return f"Made the campaign {campaign.slug} with {built.items:,} items.{advice}", result
