"""manage.py create_campaign SLUG NAME --kind K [--overlap K] [--split S] [--config FILE.toml] … [--json]"""

from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction
from django.utils import timezone

from accounts.management.reporting import ReportingCommand
from accounts.refusals import Refused
from annotation.assignment.actions.annotators import add_members_by_email
from annotation.campaigns.actions.campaigns import create_campaign
from annotation.campaigns.actions.items import build_first_items
from annotation.campaigns.commands.choice import add_choice_arguments, choice_of
from annotation.definitions.campaign_file import SETTINGS, BadCampaignFile, CampaignFile, read_campaign_file
from annotation.kind import DEFAULT_KIND, calibration_in_words, option_readers, overlaps_in_words
from annotation.models import Order, Split, Strategy
from annotation.models.campaigns import KIND_CHOICES
from corpus.collections.reads.collections import collection_with

REPORTED = ("slug", "name", "kind", "split", "overlap", "order", "strategy", "seed")


class Command(ReportingCommand):
    help = (
        "Make a campaign in the state draft, with the items that aspects and pools (or papers) give. What the command"
        " line says comes before the file of --config."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument("name", help="of the campaign; its own short name is made from it")
        parser.add_argument("--kind", choices=[*dict(KIND_CHOICES)], help=f"what is judged ({DEFAULT_KIND})")
        parser.add_argument("--overlap", type=int, metavar="K", help=f"annotators per item ({overlaps_in_words()})")
        parser.add_argument("--split", choices=Split.values, help="dev and test pairs never overlap (main)")
        parser.add_argument("--order", choices=Order.values, help="what an annotator judges in one go (by-aspect)")
        parser.add_argument("--strategy", choices=Strategy.values, help="assigned in advance, or an open queue")
        parser.add_argument("--seed", type=int, metavar="N", help="for samples, plans and orders; drawn if absent")
        parser.add_argument("--lease-minutes", type=int, metavar="M", help="how long an open queue's item is kept (60)")
        parser.add_argument("--deadline", type=date.fromisoformat, metavar="YYYY-MM-DD", help="the last day to judge")
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
        parser.add_argument("--config", type=Path, metavar="FILE", help="TOML with settings, criteria and guideline")

    @transaction.atomic
    def carry_out(self, *, slug: str, name: str, **options: Any) -> tuple[str, dict[str, Any]]:
        file = _read_file(options["config"]) if options["config"] else CampaignFile()
        flags = {key: options[key] for key in SETTINGS if options.get(key) is not None}
        settings: dict[str, Any] = file.settings | flags | {"name": name}
        sample = settings.pop("sample", None)
        at = timezone.now()
        campaign = create_campaign(
            collection=collection_with(slug),
            by=None,
            at=at,
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
        advice = "" if built.items else f" There are no {kind.words.lacking}, then manage.py build_items."
        if built.filtered:
            advice = f" {built.filtered:,} questions are left out by the word-overlap filter."
        return f"Made the campaign {campaign.slug} with {built.items:,} items.{advice}", result


def _read_file(path: Path) -> CampaignFile:
    try:
        return read_campaign_file(path.read_text("utf-8-sig"), option_readers())
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"The file {path} cannot be read: {error}.") from error
    except BadCampaignFile as bad:
        raise Refused(f"{path}: {bad.reason}") from bad
