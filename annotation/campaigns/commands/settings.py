"""Settings of a campaign as arguments: the same for a new one and for one that is changed."""

from argparse import ArgumentParser
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from accounts.refusals import Refused
from annotation.kind import option_readers, overlaps_in_words
from annotation.models import Order, Split, Strategy
from engines.definitions.campaign_file import SETTINGS, BadCampaignFile, CampaignFile, read_campaign_file


def add_setting_arguments(parser: ArgumentParser) -> None:
    """All but the name. None of them has a default: what is not given is taken from the file, or stays."""
    parser.add_argument("--overlap", type=int, metavar="K", help=f"annotators per item ({overlaps_in_words()})")
    parser.add_argument("--split", choices=Split.values, help="dev and test pairs never overlap (main)")
    parser.add_argument("--order", choices=Order.values, help="what an annotator judges in one go (by-aspect)")
    parser.add_argument("--strategy", choices=Strategy.values, help="assigned in advance, or an open queue")
    parser.add_argument("--seed", type=int, metavar="N", help="for samples, plans and orders; drawn if absent")
    parser.add_argument(
        "--lease-minutes",
        type=int,
        metavar="M",
        help="minutes until an untouched item of an open queue is released (60)",
    )
    parser.add_argument("--config", type=Path, metavar="FILE", help="TOML with settings, criteria and guideline")


def add_deadline(parser: Any) -> None:
    """The last day to judge."""
    parser.add_argument("--deadline", type=date.fromisoformat, metavar="YYYY-MM-DD", help="the last day to judge")


def file_of(options: Mapping[str, Any]) -> CampaignFile:
    """The file of --config, an empty one without. Errors: Refused, with the path."""
    path: Path | None = options["config"]
    if path is None:
        return CampaignFile()
    try:
        return read_campaign_file(path.read_text("utf-8-sig"), option_readers())
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"The file {path} cannot be read: {error}.") from error
    except BadCampaignFile as bad:
        raise Refused(f"{path}: {bad.reason}") from bad


def settings_of(options: Mapping[str, Any], file: CampaignFile) -> dict[str, Any]:
    """What the command line says, and else what the file says."""
    return file.settings | {name: options[name] for name in SETTINGS if options.get(name) is not None}
