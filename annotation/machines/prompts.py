"""Prompts in versions, and the message that a prompt makes of an item."""

from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.models import User
from accounts.refusals import Refused
from annotation.machines.machine_items import describe_levels, first_item
from annotation.models import Campaign
from corpus.models import Collection, PromptPurpose, PromptTemplate
from corpus.questions.generation import write_question_prompt
from corpus.questions.prompts import write_prompt, write_rerank_prompt
from corpus.questions.question_runs import PROMPT_NAME
from engines.prompting.answers import describe_form
from engines.prompting.prompts import BadPrompt, parse_prompt
from engines.prompting.recipes import tokens_in


def preview_of(campaign: Campaign, body: str, item: int | None = None) -> dict[str, Any]:
    """The message for this item or the first one and how its answer must end; or a `problem` that says why not."""
    shown = first_item(campaign, item)
    try:
        prompt = parse_prompt(body)
        criterion = campaign.criteria.prefetch_related("levels").first()
        values = [level.value for level in criterion.levels.all()] if criterion else []
        form = describe_form(prompt.form(values))
    except BadPrompt as bad:
        return {"problem": str(bad)}
    if shown is None or criterion is None:
        return {"problem": "The campaign has no items to try it on yet.", "form": form}
    message = prompt.fill(shown.placeholders(describe_levels(criterion)))
    later = campaign.items.filter(pk__gt=shown.item).order_by("pk").values_list("pk", flat=True).first()
    return {"message": message, "form": form, "tokens": tokens_in(message), "item": shown, "next": later}


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
