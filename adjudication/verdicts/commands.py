"""litmus adjudicate SLUG CAMPAIGN --policy majority [--ties …] [--min-votes N] [--weighted] [--voters …] [--json]"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction
from django.utils import timezone

from accounts.management.reporting import IN_CAMPAIGN, ReportingCommand, user_with
from accounts.refusals import Refused
from adjudication.labels.labels import campaign_with
from adjudication.labels.rules import check_adjudicator
from adjudication.models import Voters
from adjudication.procedure import procedure_of
from adjudication.verdicts.corrections import correct_machine_label
from engines.formats.csv_text import read_csv
from engines.formats.records import Problem
from engines.stats.policies import DEFAULT, MAJORITY, VOTE_POLICIES, offered_policies


class AdjudicateCommand(ReportingCommand):
    called = "adjudicate"
    where = IN_CAMPAIGN
    task = "Agree and decide"
    example = "adjudicate demo trial-round --policy majority"
    help = (
        "Decide a campaign's items by majority. Decisions by hand are kept; run it again to include newer judgments."
        " In an extraction campaign it accepts the papers in which a majority decides every difference."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--policy", choices=list(VOTE_POLICIES), default=MAJORITY.name)
        parser.add_argument("--ties", choices=list(dict(offered_policies())), default=DEFAULT)
        parser.add_argument(
            "--min-votes",
            type=int,
            help="an item with fewer stays undecided (default: overlap of the campaign; 1 where only machines vote)",
        )
        parser.add_argument("--weighted", action="store_true", help="count each vote by its annotator's weight")
        parser.add_argument("--voters", choices=Voters.values, default=Voters.HUMANS)

    def carry_out(self, *, slug: str, campaign: str, **options: Any) -> tuple[str, dict[str, Any]]:
        target = campaign_with(slug, campaign)
        rules = {name: options[name] for name in ("policy", "ties", "min_votes", "weighted", "voters")}
        return procedure_of(target).by_majority(target, **rules)


class CorrectCommand(ReportingCommand):
    """litmus correct_machine_labels SLUG CAMPAIGN FILE --by EMAIL [--dry-run] [--json]"""

    called = "correct_machine_labels"
    where = IN_CAMPAIGN
    task = "Agree and decide"
    example = "correct_machine_labels demo trial-round labels.csv --by adam@litmus.example --dry-run"
    line = "Correct machine labels by a file"
    help = (
        "Correct labels of machines by a file, all of it or nothing. Download it on the page “Machine labels” and fill"
        " in the column value; an equal value accepts the label, rows without one are left as they are. Corrections are"
        " kept as the judgments of the person named by --by and decide the items."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path, help="CSV with the columns label and value")
        parser.add_argument("--by", required=True, metavar="EMAIL", help="whose judgments these are")
        parser.add_argument("--dry-run", action="store_true", help="only report what it would do")

    @transaction.atomic
    def carry_out(
        self, *, slug: str, campaign: str, file: Path, by: str, dry_run: bool, **_: Any
    ) -> tuple[str, dict[str, Any]]:
        who: dict[str, Any] = {"campaign": campaign_with(slug, campaign), "by": user_with(by), "at": timezone.now()}
        check_adjudicator(who["campaign"].collection, who["by"])
        done = [correct_machine_label(label=label, value=value, **who) for label, value in _filled_in(file)]
        transaction.set_rollback(dry_run)
        corrected = sum(one.value != one.said for one in done)
        words = f"{corrected:,} labels corrected, {len(done) - corrected:,} accepted as they are."
        said = {"corrected": corrected, "accepted": len(done) - corrected}
        return f"Nothing was changed. Without --dry-run: {words}" if dry_run else words, said


def _filled_in(file: Path) -> list[tuple[int, int]]:
    """(label, value) of the rows with a value. Errors: Refused, with the line."""
    found = []
    with file.open("rb") as stream:
        for row in read_csv(stream, file.name, required=("label", "value")):
            if isinstance(row, Problem):
                raise Refused(str(row))
            line, cells = row
            if not cells["value"].strip():
                continue
            try:
                found.append((int(cells["label"]), int(cells["value"])))
            except ValueError:
                raise Refused(f"{file.name}, line {line}: label and value are whole numbers.") from None
    return found
