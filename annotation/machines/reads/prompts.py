"""The message that a prompt makes of an item."""

from typing import Any

from annotation.machines.reads.machine_items import describe_levels, first_item
from annotation.models import Campaign
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
