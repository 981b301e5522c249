"""A prompt tried on a few items while it is written: what a model answers, how that is read, what it costs.

Answers are kept with their cost, as they were paid for. None is a label. Items that a sealed or undecided test holds
are never used: a prompt is not written with a look at its test (ADR 16).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts import jobs
from accounts.models import User
from accounts.refusals import Refused
from accounts.sql import execute
from annotation.campaigns.campaigns import record_change
from annotation.campaigns.rules import check_not_closed, check_within
from annotation.machines.asking import MOST_PROBLEM, ask_model, fill_in, measured, read_reply, why_missing
from annotation.machines.machine_items import ItemText, show_items
from annotation.machines.prompts import rated_by
from annotation.machines.recipes import MachineOptions, forms_of
from annotation.models import Campaign, PromptTrial, TrialAnswer
from corpus.collections.rules import check_manager
from engines.definitions.settings import SEED
from engines.endpoints.chat import Reply, Unusable
from engines.endpoints.driver import Failure
from engines.endpoints.prices import Prices, Spending
from engines.prompting.answers import Reading
from engines.prompting.prompts import BadPrompt, parse_prompt

TRIED = 5  # items
DRAW = """
SELECT i.id FROM annotation_item i
WHERE i.campaign_id = %(campaign)s AND (%(named)s::bigint[] IS NULL OR i.id = ANY(%(named)s)) AND NOT EXISTS (
  SELECT FROM annotation_item held LEFT JOIN annotation_annocycle cycle ON cycle.test_id = held.campaign_id
  WHERE held.split = 'test' AND coalesce(cycle.outcome, '') = '' AND held.topic_id = i.topic_id
    AND held.aspect_id IS NOT DISTINCT FROM i.aspect_id AND held.document_id IS NOT DISTINCT FROM i.document_id)
ORDER BY hashint8extended(i.id, %(seed)s), i.id LIMIT %(most)s
"""


@dataclass(frozen=True)
class TriedItem:
    """One item of a trial: its answer (None: not come yet) and what is read of it, by the criterion's key."""

    item: ItemText
    answer: TrialAnswer | None
    stated: Mapping[str, Reading]


@transaction.atomic
def request_trial(
    *,
    campaign: Campaign,
    by: User | None,
    at: datetime,
    body: str,
    name: str = "",
    items: Sequence[int] = (),
    seed: int | None = None,
    model: str = "",
    endpoint: str = "",
    send: bool = True,
) -> PromptTrial:
    """Try a text on these items of the campaign, or on five that are drawn by the seed (None: the campaign's).

    Errors: Refused for a text that is no prompt, without an endpoint, and for items that a test holds.
    """
    check_manager(campaign.collection, by)
    check_not_closed(campaign)
    seed = campaign.seed if seed is None else seed
    check_within(SEED, seed)
    try:
        prompt = parse_prompt(body)
        forms_of(prompt, rated_by(prompt, campaign))
    except BadPrompt as bad:
        raise Refused(str(bad)) from bad
    options = MachineOptions(model=model, endpoint=endpoint)
    asked = options.service(campaign.collection).asking(" ".join(model.split()))
    if len(set(items)) > TRIED:
        raise Refused(f"A trial takes at most {TRIED} items: it shows how the model answers, and every answer costs.")
    values = {"campaign": campaign.pk, "named": list(items) or None, "seed": seed, "most": TRIED}
    drawn = [item for (item,) in execute(DRAW, values)]
    if not drawn or len(drawn) < len(set(items)):
        raise Refused("A prompt is tried on items of this campaign that no test campaign holds before its decision.")
    return jobs.new_job(
        PromptTrial,
        by=by,
        at=at,
        send=send,
        campaign=campaign,
        name=name,
        body=body,
        model=asked.model,
        items=drawn,
        seed=seed,
        parameters=options.parameters(campaign.collection),
    )


def try_prompt(trial: PromptTrial, progress: jobs.Progress) -> None:
    """Ask for the items that have no answer yet, and record what it cost. Errors: Refused by the endpoint."""
    prompt, prices = parse_prompt(trial.body), Prices.of(trial.parameters)
    trial.answers.exclude(problem="").delete()
    left = set(trial.items) - set(trial.answers.values_list("item", flat=True))
    questions = fill_in(prompt, show_items(trial.campaign, sorted(left)), rated_by(prompt, trial.campaign))

    def keep(item: int, outcome: Reply | Failure) -> None:
        if isinstance(outcome, Failure):
            said: dict[str, Any] = {"problem": why_missing(outcome)[:MOST_PROBLEM]}
        else:
            said = measured(outcome, prices)
            said["text"] = (outcome.text or outcome.refusal).replace("\0", "\N{REPLACEMENT CHARACTER}")
            said["finish_reason"] = "content_filter" if outcome.refusal else outcome.finish_reason[:20]
        trial.answers.create(item_id=item, received_at=timezone.now(), **said)

    def check() -> None:
        progress.report(trial.answers.count(), len(trial.items), "asking the model")

    try:
        ask_model(trial, questions, keep, check, temperature=0.0)
    except Unusable as unusable:
        raise Refused(f"{unusable.reason[:1].upper()}{unusable.reason[1:]}.") from None
    finally:
        spent = spending_on(trial).whole
        facts = {"model": trial.model, "items": trial.items, "cost": None if spent is None else str(spent)}
        record_change(trial.campaign, trial.requested_by, timezone.now(), "try_prompt", **facts)


def spending_on(trial: PromptTrial) -> Spending:
    """What the answers that came cost."""
    return Spending.of(trial.answers.filter(problem="").values_list("cost", flat=True))


def read_trial(trial: PromptTrial) -> list[TriedItem]:
    """Its items in the order in which they were drawn, each answer read as a run would read it."""
    prompt = parse_prompt(trial.body)
    forms = forms_of(prompt, rated_by(prompt, trial.campaign))
    answers = {one.item_id: one for one in trial.answers.all()}
    texts = {one.item: one for one in show_items(trial.campaign, trial.items)}
    found = []
    for pk in filter(texts.__contains__, trial.items):
        answer, stated = answers.get(pk), dict[str, Reading]()
        if answer and not answer.problem:
            reply = Reply(answer.text, answer.finish_reason, None, None, 0.0)
            stated = read_reply(reply, prompt, forms)
        found.append(TriedItem(texts[pk], answer, stated))
    return found
