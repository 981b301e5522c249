"""Prompts of a collection: by purpose, by name and version, and the message that one makes of an item."""

from typing import Any

from django.db.models import QuerySet

from accounts.refusals import Refused
from annotation.machines.reads.machine_items import describe_levels, first_item
from annotation.models import Campaign
from annotation.prompting.answers import describe_form
from annotation.prompting.prompts import BadPrompt, parse_prompt
from annotation.prompting.recipes import tokens_in
from corpus.models import Collection, PromptPurpose, PromptTemplate


def prompt_versions(collection: Collection, purpose: str = "", name: str = "") -> QuerySet[PromptTemplate]:
    """All versions of the collection's prompts of this purpose and name ("": of any), the newest first."""
    found = collection.prompt_templates.select_related("created_by").order_by("purpose", "name", "-version")
    found = found.filter(purpose=purpose) if purpose else found
    return found.filter(name=name) if name else found


def prompt_named(collection: Collection, text: str, purpose: str = PromptPurpose.RELEVANCE) -> PromptTemplate:
    """The prompt NAME (its newest version) or NAME@VERSION. Errors: Refused, with the known names."""
    prompts = prompt_versions(collection, purpose)
    name, _, version = text.rpartition("@")
    if name and version.isdecimal() and len(version) < 9:
        found = prompts.filter(name=name, version=int(version)).first()
    else:
        found = prompts.filter(name=text).first()
    if found is None:
        raise Refused(f"There is no prompt “{text}”. {known_prompts(prompts)}")
    return found


def known_prompts(prompts: QuerySet[PromptTemplate]) -> str:
    """The names of these prompts, as a sentence for a refusal."""
    known = ", ".join(prompts.order_by("name").values_list("name", flat=True).distinct())
    return f"There are: {known}." if known else "There are none yet: write one."


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
