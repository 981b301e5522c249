"""litmus rewrites SLUG list|ask|decide CAMPAIGN: other wordings of questions, and second persons' words on them."""

from typing import Any, ClassVar

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts.management.reporting import SteppedCommand, user_with
from annotation.campaigns.campaigns import campaign_with
from annotation.models import ReviewDecision
from annotation.rubric.api import RewriteSerializer
from annotation.rubric.rewrites import (
    STANDINGS,
    ask_for_reviews,
    current_rewrites,
    decide_rewrite,
    describe_rewrites,
)


class RewritesCommand(SteppedCommand):
    called = "rewrites"
    task = "Judge"
    example = """
    rewrites demo list questions
    rewrites demo ask questions ben@litmus.example 1 --by maria@litmus.example
    rewrites demo decide questions 1 confirmed --by ben@litmus.example
    """
    line = "Have rewrites of questions that raters proposed reviewed"
    help = (
        "Rewrites that raters proposed: list them, ask a second person, confirm or reject. Only people ask and"
        " decide, so `ask` and `decide` need --by."
    )
    reads: ClassVar[dict[str, str]] = {"list": "list the current rewrites and their reviews"}
    writes: ClassVar[dict[str, str]] = {
        "ask": "ask one person to look at rewrites",
        "decide": "confirm a rewrite or reject it",
    }

    def add_list(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", help="short name of the campaign")
        parser.add_argument("--standing", choices=list(STANDINGS), default="", help="default: all")

    def add_ask(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", help="short name of the campaign")
        parser.add_argument("reviewer", help="e-mail address of the reviewer")
        parser.add_argument("rewrites", type=int, nargs="+", metavar="ID", help="`list --json` shows them")
        _add_by(parser)

    def add_decide(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", help="short name of the campaign")
        parser.add_argument("rewrite", type=int, metavar="ID", help="`list --json` shows it")
        parser.add_argument("decision", choices=ReviewDecision.values)
        parser.add_argument("--comment", default="", help="why")
        _add_by(parser)

    def list(self, *, slug: str, campaign: str, standing: str) -> tuple[str, dict[str, Any]]:
        rows = describe_rewrites(current_rewrites(campaign_with(slug, campaign)))
        found = RewriteSerializer([row for row in rows if standing in ("", row.standing)], many=True).data
        lines = [
            f"{one['id']} (question {one['topic']}, by {one['by']}, {STANDINGS[one['standing']]}): {one['text']}"
            for one in found
        ]
        return "\n".join(lines) or "There are no rewrites.", {"rewrites": found}

    def ask(self, *, slug: str, campaign: str, reviewer: str, rewrites: Any, by: str) -> tuple[str, dict[str, Any]]:
        found, person = campaign_with(slug, campaign), user_with(reviewer)
        made = ask_for_reviews(campaign=found, rewrites=rewrites, reviewer=person, by=user_with(by), at=timezone.now())
        return f"{person} is asked about {len(made):,} rewrites.", {"asked": len(made)}

    def decide(
        self, *, slug: str, campaign: str, rewrite: int, decision: str, comment: str, by: str
    ) -> tuple[str, dict[str, Any]]:
        found, person = campaign_with(slug, campaign), user_with(by)
        review = decide_rewrite(
            campaign=found, rewrite=rewrite, by=person, at=timezone.now(), decision=decision, comment=comment
        )
        shape = {"rewrite": review.rewrite_id, "decision": review.decision, "reviewer": person.email}
        return f"The rewrite is {review.get_decision_display()}.", shape


def _add_by(parser: CommandParser) -> None:
    parser.add_argument("--by", required=True, metavar="EMAIL", help="in whose name")
