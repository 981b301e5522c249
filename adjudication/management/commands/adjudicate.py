"""manage.py adjudicate SLUG CAMPAIGN --policy majority [--ties …] [--min-votes N] [--weighted] [--voters …] [--json]"""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts import jobs
from accounts.management.told import ToldCommand
from accounts.models import JobState
from accounts.refusals import Refused
from adjudication.actions.jobs import request_vote
from adjudication.actions.papers import accept_majorities
from adjudication.management.named import campaign_with
from adjudication.models import Voters, VoteRun
from adjudication.queries.overrides import overrides_in_verdicts
from adjudication.queries.queue import count_short
from adjudication.stats.policies import DEFAULT, MAJORITY, VOTE_POLICIES, offered_policies
from annotation.models import Campaign, CampaignKind


class Command(ToldCommand):
    help = (
        "Decide a campaign's items by majority. Decisions by hand stand; running again takes in newer judgments. Of an"
        " extraction, papers are accepted in which a majority has decided every difference."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("campaign")
        parser.add_argument("--policy", choices=list(VOTE_POLICIES), default=MAJORITY.name)
        parser.add_argument("--ties", choices=list(dict(offered_policies())), default=DEFAULT)
        parser.add_argument("--min-votes", type=int, default=2, help="fewer leave the item unresolved (default 2)")
        parser.add_argument("--weighted", action="store_true", help="count each vote by its annotator's weight")
        parser.add_argument("--voters", choices=Voters.values, default=Voters.HUMANS)

    def carry_out(self, *, slug: str, campaign: str, policy: str, **options: Any) -> tuple[str, dict[str, Any]]:
        wanted = {name: options[name] for name in ("ties", "min_votes", "weighted", "voters")}
        target = campaign_with(slug, campaign)
        if target.kind == CampaignKind.EXTRACTION:
            return _accept_papers(target)
        asked = request_vote(campaign=target, by=None, at=timezone.now(), send=False, **wanted)
        jobs.carry_out(asked)
        run = VoteRun.objects.get(pk=asked.pk)
        if run.state != JobState.DONE:
            raise Refused(run.reason)
        told = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in run.counts.items() if count)
        overrides = overrides_in_verdicts(target)
        text = f"{VOTE_POLICIES[policy].label.capitalize()} vote: {told or 'no item has a vote'}."
        notes = [*_hints(run), *(f"Note: {each.text}" for each in overrides)]
        found = {**run.counts, "criteria": run.detail, "machine_overrides": [each.as_json() for each in overrides]}
        return "\n".join([text, *notes]), found


def _hints(run: VoteRun) -> list[str]:
    """What to do about items that only the number of their votes leaves open, as where one person judged each."""
    short = count_short(run)
    if not short:
        return []
    return [
        f"Fewer than {run.min_votes} votes: {short:,} of the unresolved. Collect more judgments, or count again with"
        " --min-votes 1, which takes single judgments as they are."
    ]


def _accept_papers(campaign: Campaign) -> tuple[str, dict[str, Any]]:
    found = accept_majorities(campaign=campaign, by=None, at=timezone.now())
    text = (
        f"{found.accepted:,} papers accepted, {found.decided:,} were; on {found.alike:,} all agree;"
        f" {found.left:,} wait for an adjudicator."
    )
    told = {"unanimous": found.alike, "majority": found.accepted, "tie_resolved": 0}
    return text, {**told, "by_hand": found.decided, "unresolved": found.left}
