"""Committees: annotators whose labels follow by a fixed rule from the stored replies of machines, at no cost.

An item is answered once every member has a reply to it; what could not be read counts for nothing. The members then
have no vote next to their committee, and it is left out of figures over everybody: nobody counts twice.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal

from django.db import transaction
from django.utils import timezone

from accounts.job_kinds import Waiting
from accounts.jobs import Progress
from accounts.models import User
from accounts.refusals import Conflict, Refused
from accounts.sql import execute
from annotation.campaigns.campaigns import record_change
from annotation.campaigns.rules import check_not_closed
from annotation.campaigns.seals import check_machine_may_run
from annotation.machines.asking import MachineAnswer, store_replies
from annotation.machines.recipes import MachineOptions, options_from
from annotation.machines.requests import new_run, request_machine_runs
from annotation.models import AssignmentState, Campaign, Judgment, MachineKind, MachineRun, Scale
from corpus.collections.rules import check_manager
from engines.prompting.committees import RULES, vote
from engines.prompting.recipes import Recipe, recipe_from

BATCH = 500
READY = """
SELECT r.item_id FROM annotation_machinereply r
WHERE r.run_id = ANY(%(members)s) AND r.state <> 'error' AND r.item_id > %(after)s AND NOT EXISTS (
  SELECT FROM annotation_machinereply own WHERE own.run_id = %(run)s AND own.item_id = r.item_id)
GROUP BY r.item_id HAVING count(*) = %(count)s ORDER BY r.item_id LIMIT %(most)s
"""


@transaction.atomic
def request_committee(
    *, campaign: Campaign, by: User | None, at: datetime, members: Sequence[MachineRun], rule: str, send: bool = True
) -> MachineRun:
    """Make a committee of runs over the campaign. It answers the criteria that all of them answer.

    Errors: Refused for fewer than two members, a committee among them, no common criterion, a median of what has no
    order, and where such a machine may not run; Conflict for the same committee again.
    """
    campaign = (
        Campaign.objects.select_related("collection").select_for_update(of=("self",), no_key=True).get(pk=campaign.pk)
    )
    check_manager(campaign.collection, by)
    check_not_closed(campaign)
    members = list(campaign.machine_runs.filter(pk__in=[one.pk for one in members]).exclude(kind=MachineKind.COMMITTEE))
    if len(members) < 2 or rule not in RULES:
        raise Refused("A committee has a rule and at least two members: runs of machines that are no committees.")
    answered = [{one.key for one in run.criteria.all()} for run in members]
    criteria = list(campaign.criteria.filter(key__in=set.intersection(*answered)).prefetch_related("levels"))
    if not criteria:
        raise Refused("These runs answer different criteria. A committee answers what all its members answer.")
    if rule == "median" and any(one.scale == Scale.NOMINAL for one in criteria):
        raise Refused("A median needs levels in an order. Choose the majority.")
    recipe = _recipe_of(members, rule, [one.key for one in criteria])
    if any(set(one.members.all()) == set(members) for one in campaign.machine_runs.filter(recipe_hash=recipe.digest)):
        raise Conflict("There is a committee of these members with this rule already.")
    check_machine_may_run(campaign, [one.key for one in criteria], recipe.digest, more=1)
    run = new_run(campaign, criteria, recipe, MachineOptions(kind=MachineKind.COMMITTEE), by=by, at=at, send=send)
    run.members.set(members)
    facts = {"machine": run.annotator.name, "members": [one.annotator.name for one in members], "rule": rule}
    record_change(campaign, by, at, "request_committee", **facts)
    return run


@transaction.atomic
def request_again(
    *, campaign: Campaign, by: User | None, at: datetime, recipe: Recipe, criterion: str, send: bool = True
) -> MachineRun:
    """Make this committee on another campaign, with a new run of each member. Errors: as for its runs and itself."""
    earlier = MachineRun.objects.filter(campaign__collection=campaign.collection_id).select_related("prompt")
    members = []
    for each in recipe.members:
        options = options_from(each, earlier.filter(recipe_hash=each.digest).last(), [criterion])
        members += request_machine_runs(
            campaign=campaign, by=by, at=at, options=options, send=send, committee=recipe.digest
        )
    return request_committee(campaign=campaign, by=by, at=at, members=members, rule=recipe.rule, send=send)


def _recipe_of(members: Iterable[MachineRun], rule: str, keys: Sequence[str]) -> Recipe:
    recipes = sorted((recipe_from(one.recipe) for one in members), key=lambda recipe: recipe.digest)
    criteria = tuple(keys) if len(keys) > 1 else ()
    return Recipe("committee", "committee", rule=rule, criteria=criteria, members=tuple(recipes))


def convene(run: MachineRun, progress: Progress) -> None:
    """Answer every item that all members have a reply to. Errors: Waiting while a member is at work, Refused where
    replies of members are missing."""
    members = list(run.members.select_related("annotator"))
    total, done, after = run.campaign.items.count(), run.replies.count(), 0
    while ready := [item for (item,) in execute(READY, _ready(run, members, after))]:
        progress.report(done, total, "counting the answers of the members")
        store_replies(run, answers_of(run, members, ready), timezone.now())
        done, after = done + len(ready), ready[-1]
    progress.report(done, total, "counting the answers of the members")
    if not all(one.is_final for one in members):
        raise Waiting("its members are at work")
    if done < total:
        raise Refused(
            f"{done:,} of {total:,} items are answered. Members lack replies to the rest; continue asks them."
        )


def _ready(run: MachineRun, members: Sequence[MachineRun], after: int) -> dict[str, object]:
    pks = [one.pk for one in members]
    return {"run": run.pk, "members": pks, "count": len(pks), "after": after, "most": BATCH}


def answers_of(run: MachineRun, members: Sequence[MachineRun], items: Sequence[int]) -> list[MachineAnswer]:
    """What the committee says of these items, by the labels that its members' replies have given."""
    rule, names = run.recipe["rule"], {one.annotator_id: one.annotator.name for one in members}
    keys = [one.key for one in run.criteria.all()]
    labels = Judgment.objects.filter(
        assignment__item__in=items, assignment__annotator__in=names, assignment__state=AssignmentState.DONE
    ).order_by("assignment__annotator")
    given: dict[tuple[int, str], dict[str, int]] = {}
    found = labels.values_list("assignment__item", "criterion__key", "assignment__annotator", "value")
    for item, key, annotator, value in found:
        given.setdefault((item, key), {})[names[annotator]] = value
    answers = []
    for item in items:
        votes = {key: vote(rule, list(given.get((item, key), {}).values())) for key in keys}
        lines = [f"{key}: {value} by {who}" for key in keys for who, value in given.get((item, key), {}).items()]
        stated = {key: reading for key, (reading, _) in votes.items()}
        shares = {key: share for key, (_, share) in votes.items() if share is not None}
        answers.append(MachineAnswer(item, stated, "\n".join(lines), cost=Decimal(0), agreement=shares))
    return answers


def with_members(runs: Iterable[MachineRun]) -> list[MachineRun]:
    """The runs in the order in which they are carried out here: members before their committees, what is done left
    out."""
    found: dict[int, MachineRun] = {}
    for run in runs:
        found |= {one.pk: one for one in (*run.members.all(), run, *run.committees.all()) if not one.is_final}
    return sorted(found.values(), key=lambda run: (run.kind == MachineKind.COMMITTEE, run.pk))
