"""Accepting very many votes, and undoing that: by a job, AT_ONCE votes at a time.

Each step is a transaction with its own audit event, so a stored step is never done again, and the votes accepted
so far stay accepted, however the job ends. Every step checks what `decisions.accept_votes` checks.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts import jobs
from accounts.audit import record_event
from accounts.job_kinds import Cancelled, Progress
from accounts.models import FINAL_STATES, User
from accounts.refusals import Conflict, Refused
from adjudication.labels.counts import newest_count
from adjudication.labels.queue import ORDER, acceptable
from adjudication.labels.rules import check_adjudicator
from adjudication.models import Verdict, VoteAcceptance
from adjudication.verdicts.decisions import accepted_together, check_methods, locked_campaign
from annotation.models import Campaign, Criterion
from corpus.long_lists import beyond

AT_ONCE = 20_000  # votes between two commits: nobody can decide one of them meanwhile


def request_acceptance(
    *,
    criterion: Criterion,
    methods: Sequence[str],
    by: User,
    at: datetime,
    topic: int | None = None,
    value: int | None = None,
    send: bool = True,
) -> VoteAcceptance:
    """A job that accepts every vote of the newest count that `accept_votes` would, however many there are.

    Errors: NotAllowed, Refused for unknown methods or before the first count, Conflict while another one runs.
    """
    check_methods(methods)
    if (run := newest_count(criterion.campaign_id)) is None:
        raise Refused("The votes have not been counted yet.")
    facts = {"criterion": criterion.key, "methods": sorted(methods), "topic": topic, "value": value}
    return _queue(criterion.campaign, "request_acceptance", by, at, facts, send=send, vote_run=run.pk)


def request_undoing(*, campaign: Campaign, accepted_at: datetime, by: User, at: datetime, send: bool = True) -> Any:
    """A job that does what `decisions.undo_acceptance` does."""
    facts = {"accepted_at": accepted_at.isoformat()}
    return _queue(campaign, "request_undoing", by, at, facts, send=send)


@transaction.atomic
def _queue(
    campaign: Campaign, verb: str, by: User, at: datetime, facts: dict[str, Any], *, send: bool, **more: Any
) -> VoteAcceptance:
    campaign = locked_campaign(campaign)
    check_adjudicator(campaign.collection, by)
    if campaign.vote_acceptances.exclude(state__in=FINAL_STATES).exists():
        raise Conflict("Votes are being accepted, or an acceptance undone. Wait for it, or cancel it first.")
    job = jobs.new_job(VoteAcceptance, by=by, at=at, send=send, campaign=campaign, parameters={**facts, **more})
    record_event(by=by, at=at, verb=verb, target=campaign, scope=campaign.collection, **facts)
    return job


def accept_in_steps(job: VoteAcceptance, progress: Progress) -> None:
    """Count exactly, then accept (or undo) step by step; after a crash it goes on where it was."""
    step = _undo_some if job.is_undoing else _accept_some
    try:
        progress.report(job.changed, job.changed + _rows(job).count(), "undoing" if job.is_undoing else "accepting")
        while step(job):
            progress.report(job.changed)
    except Cancelled as cancelled:
        done = "no longer accepted" if job.is_undoing else "accepted; that can be undone"
        raise Cancelled(f"Cancelled. {job.changed:,} votes are {done}.") from cancelled


def _rows(job: VoteAcceptance) -> Any:
    facts, by = job.parameters, job.requested_by
    if job.is_undoing:
        return accepted_together(job.campaign, by, datetime.fromisoformat(facts["accepted_at"]))
    criterion = job.campaign.criteria.get(key=facts["criterion"])
    rows = acceptable(criterion, facts["methods"], user=by, topic=facts["topic"], value=facts["value"])
    return rows.order_by(*ORDER)


@transaction.atomic
def _accept_some(job: VoteAcceptance) -> bool:
    """Accept the next votes; False where none are left. `parameters["after"]` is the last one of each method."""
    campaign = locked_campaign(job.campaign)
    check_adjudicator(campaign.collection, job.requested_by)
    newest = newest_count(campaign.pk)
    if newest is None or newest.pk != job.parameters["vote_run"]:
        raise Refused(
            f"The votes were counted again meanwhile. {job.changed:,} votes were accepted before; look at the others"
            " and accept again."
        )
    after = job.parameters.setdefault("after", {})
    for method in job.parameters["methods"]:  # one after the other, because an index has the order of each
        rows = _rows(job).filter(method=method)
        rows = rows.filter(beyond(ORDER, after[method], "gt")) if method in after else rows
        if some := list(rows.select_for_update(of=("self",)).values_list(*ORDER)[:AT_ONCE]):
            after[method] = list(some[-1])
            whose = {"decided_by": job.requested_by, "decided_at": job.requested_at}
            _store(job, [pk for _, pk in some], "accept_votes", whose)
            return True
    return False


@transaction.atomic
def _undo_some(job: VoteAcceptance) -> bool:
    campaign = locked_campaign(job.campaign)
    check_adjudicator(campaign.collection, job.requested_by)
    some = list(_rows(job).select_for_update(of=("self",)).values_list("pk", flat=True)[:AT_ONCE])
    if some:
        _store(job, some, "undo_acceptance", {"decided_by": None, "decided_at": None})
    return bool(some)


def _store(job: VoteAcceptance, pks: list[int], verb: str, values: dict[str, Any]) -> None:
    """Change these verdicts, and note with them how far the job is: both or neither."""
    changed = Verdict.objects.filter(pk__in=pks).update(**values)
    job.changed += changed
    job.save(update_fields=["changed", "parameters"])
    facts = {name: value for name, value in job.parameters.items() if name not in ("after", "vote_run")}
    facts["undone" if job.is_undoing else "accepted"] = changed
    by, campaign = job.requested_by, job.campaign
    record_event(by=by, at=job.requested_at, verb=verb, target=campaign, scope=campaign.collection, **facts)
