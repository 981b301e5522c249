"""Prompts in versions, and the message that a prompt makes of an item."""

from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.caches import volatile
from accounts.models import User
from accounts.refusals import Refused
from annotation.machines.machine_items import ItemText, count_empty, first_item, quoted
from annotation.machines.recipes import forms_of
from annotation.models import Campaign, Criterion
from corpus.models import Collection, PromptPurpose, PromptTemplate
from corpus.questions.generation import write_question_prompt
from corpus.questions.prompts import write_prompt, write_rerank_prompt
from corpus.questions.question_runs import PROMPT_NAME
from engines.prompting.prompts import PLACEHOLDERS, BadPrompt, Prompt, parse_prompt
from engines.prompting.recipes import tokens_in

EMPTY_SECONDS = 300


def preview_of(campaign: Campaign, body: str, item: int | None = None) -> dict[str, Any]:
    """The message for this item or the first one and how its answer must end; or a `problem` that says why not.

    `empty` is {placeholder: items of the campaign with nothing behind it}, of those that the prompt uses.
    """
    shown = first_item(campaign, item)
    try:
        prompt = parse_prompt(body)
        criteria = rated_by(prompt, campaign)
        form = prompt.describe(forms_of(prompt, criteria)) if criteria else ""
    except BadPrompt as bad:
        return {"problem": str(bad), "item": shown}
    if shown is None or not criteria:
        return {"problem": "The campaign has no items to try it on yet.", "form": form, "item": shown}
    message = prompt.fill(shown.placeholders(quoted(criteria)))
    later = campaign.items.filter(pk__gt=shown.item).order_by("pk").values_list("pk", flat=True).first()
    empty = {name: count for name, count in empty_places(campaign).items() if count and name in prompt.places}
    found = {"message": message, "form": form, "tokens": tokens_in(message), "item": shown, "next": later}
    return found | {"empty": empty}


def rated_by(prompt: Prompt, campaign: Campaign) -> list[Criterion]:
    """The criteria that the prompt rates unless a run names others: all of the campaign, or its first."""
    criteria = list(campaign.criteria.prefetch_related("levels"))
    return criteria if prompt.rates_each else criteria[:1]


def examples_of(item: ItemText | None, campaign: Campaign) -> dict[str, tuple[str, str]]:
    """{placeholder: (what it stands for, its text for this item)}, as the page of a prompt lists them."""
    criteria = list(campaign.criteria.prefetch_related("levels"))
    texts = item.placeholders(quoted(criteria)) if item and criteria else {}
    return {name: (meaning, texts.get(name, "")) for name, meaning in PLACEHOLDERS.items()}


def empty_places(campaign: Campaign) -> dict[str, int]:
    """{placeholder: items with nothing behind it}. Kept a few minutes: it reads the texts of all items."""
    key = f"empty-places:{campaign.pk}:{campaign.items.count()}"
    found: dict[str, int] | None = volatile.get(key)
    if found is None:
        found = count_empty(campaign)
        volatile.set(key, found, EMPTY_SECONDS)
    return found


@transaction.atomic
def write_relevance_prompt(
    *, collection: Collection, by: User | None, at: datetime, name: str, body: str
) -> PromptTemplate:
    """The next version of a prompt for machine annotators. Errors: Refused for a body that cannot be used."""
    try:
        parse_prompt(body)
    except BadPrompt as bad:
        raise Refused(str(bad)) from bad
    return write_prompt(by=by, at=at, collection=collection, purpose=PromptPurpose.RELEVANCE, name=name, body=body)


def write_prompt_for(
    *, purpose: str, collection: Collection, by: User | None, at: datetime, name: str, body: str
) -> tuple[PromptTemplate, bool]:
    """The next version of the prompt and True, or its newest version and False where that has the same text.

    A collection has one prompt for questions: its name may be left out. Errors: Refused for an unknown purpose, another
    name for questions, and a body that cannot be used.
    """
    if purpose not in PromptPurpose.values:
        raise Refused(f"Unknown purpose “{purpose}”. Choose one of {', '.join(PromptPurpose.values)}.")
    if purpose == PromptPurpose.RELEVANCE:
        prompt = write_relevance_prompt(collection=collection, by=by, at=at, name=name, body=body)
    elif purpose == PromptPurpose.RERANKING:
        prompt = write_rerank_prompt(collection=collection, by=by, at=at, name=name, body=body)
    elif name not in ("", PROMPT_NAME):
        raise Refused(f"A collection has one prompt for questions, “{PROMPT_NAME}”. Leave its name out.")
    else:
        prompt = write_question_prompt(collection=collection, by=by, at=at, body=body)
    return prompt, prompt.created_at == at
