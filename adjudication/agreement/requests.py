"""Asking for agreement figures and for a count of votes; the work itself is done by jobs."""

from datetime import datetime
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import Q

from accounts import jobs
from accounts.audit import record_event
from accounts.models import FINAL_STATES, User
from accounts.refusals import Conflict, Refused
from adjudication.labels.ballots import KINDS
from adjudication.labels.inputs import campaign_seed
from adjudication.labels.labels import counted_judgments
from adjudication.labels.rules import check_adjudicator
from adjudication.models import AgreementRun, Voters, VoteRun
from adjudication.procedure import procedure_of
from annotation.campaigns.rules import check_within
from annotation.campaigns.seals import check_not_sealed
from annotation.models import AnnoCycle, Campaign
from engines.definitions.settings import MIN_VOTES, RESAMPLES, SEED
from engines.stats.policies import DEFAULT, offered_policies
from engines.stats.report import Options

UNIT = {"cluster": "unit"}  # what the engine calls it
J = TypeVar("J", AgreementRun, VoteRun)


@transaction.atomic
def request_agreement(
    *,
    campaign: Campaign,
    by: User | None,
    at: datetime,
    resamples: int = 10_000,
    seed: int | None = None,
    interval: str = "auto",
    cluster: str = "auto",
    margin: float | dict[str, float] | None = None,
    automatic: bool = False,
    send: bool = True,
) -> AgreementRun:
    """Ask for all agreement figures of the campaign.

    `interval` is auto, percentile, bca or jackknife_t; `cluster` (what is resampled) auto, item or topic. Without a
    seed one made of its name is taken, so that asking again gives the same figures. `margin` is one equivalence margin
    or one for each statistic, without one that of the campaign's Anno-GPT cycle. `automatic` notes that nobody asked
    (see `due`). `send=False` leaves the work to the caller.
    """
    check_adjudicator(campaign.collection, by)
    seed = campaign_seed(campaign, "agreement") if seed is None else seed
    margin = margin_of_cycle(campaign) if margin is None else margin
    parameters = {"resamples": resamples, "interval": interval, "cluster": cluster, "margin": margin}
    _check_options(seed, parameters)
    if automatic:
        parameters["automatic"] = True
    return _queue(AgreementRun, "request_agreement", campaign, by, at, send=send, seed=seed, parameters=parameters)


@transaction.atomic
def request_vote(
    *,
    campaign: Campaign,
    by: User | None,
    at: datetime,
    ties: str = DEFAULT,
    min_votes: int | None = None,
    weighted: bool = False,
    voters: str = Voters.HUMANS,
    send: bool = True,
) -> VoteRun:
    """Ask for a majority vote over the labels that count now. Decisions by hand stand whatever it says.

    `ties` is a rule of `engines.stats.policies`, `weighted` counts each vote by its annotator's weight, `voters`
    is humans, machines or all. Without `min_votes` an item needs as many as the overlap of its campaign, one with more
    places (calibration, another judge) too. The overlap is a number of people: where machines vote alone, one is
    enough, as a machine that has passed its test judges each item once (Anno-GPT).
    """
    check_adjudicator(campaign.collection, by)
    if no_votes := procedure_of(campaign).no_votes:
        raise Refused(f"{campaign} {no_votes}")
    if ties not in (known := dict(offered_policies())):
        raise Refused(f"Unknown policy for ties “{ties}”. Choose one of {', '.join(known)}.")
    if voters not in Voters.values:
        raise Refused(f"Unknown voters “{voters}”. Choose one of {', '.join(Voters.values)}.")
    if min_votes is None:
        min_votes = 1 if voters == Voters.MACHINES else campaign.overlap
    check_within(MIN_VOTES, min_votes)
    labels = counted_judgments(campaign)
    votes = labels.filter(assignment__annotator__kind__in=KINDS[voters])
    if voters != "all" and labels.exists() and not votes.exists():
        raise Refused(f"No {voters[:-1]} has judged in this campaign, so there are no votes to count.")
    parameters = {"weighted": weighted, "voters": voters}
    return _queue(
        VoteRun, "request_vote", campaign, by, at, send=send, ties=ties, min_votes=min_votes, parameters=parameters
    )


def margin_of_cycle(campaign: Campaign) -> float | None:
    """The margin that was fixed when the newest cycle on this campaign began; None where there is no cycle."""
    cycles = AnnoCycle.objects.filter(Q(dev=campaign) | Q(test=campaign)).order_by("-number")
    return cycles.values_list("margin", flat=True).first()


def _check_options(seed: int, parameters: dict[str, Any]) -> None:
    check_within(SEED, seed)
    check_within(RESAMPLES, parameters["resamples"])
    try:
        Options(seed=seed, **{UNIT.get(name, name): value for name, value in parameters.items()})
    except ValueError as error:
        raise Refused(f"{str(error)[0].upper()}{str(error)[1:]}.") from None


def _queue(
    model: type[J], verb: str, campaign: Campaign, by: User | None, at: datetime, *, send: bool, **fields: Any
) -> J:
    """A new job of the campaign, unless one of its kind is still on its way or there is nothing to read.

    Errors: NotAllowed while the campaign is a sealed test set.
    """
    check_not_sealed(campaign)
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    if send and model._default_manager.filter(campaign=campaign).exclude(state__in=FINAL_STATES).exists():
        raise Conflict("This is being computed already. Wait for it, or cancel it first.")
    if no_agreement := procedure_of(campaign).no_agreement:
        raise Refused(f"{campaign} {no_agreement}")
    if not counted_judgments(campaign).exists():
        raise Refused("This campaign has no judgments yet. Come back after the first ones.")
    job = jobs.new_job(model, by=by, at=at, send=send, campaign=campaign, **fields)
    parameters = fields.pop("parameters")
    record_event(by=by, at=at, verb=verb, target=campaign, scope=campaign.collection, **fields, **parameters)
    return job
