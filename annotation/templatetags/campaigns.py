"""What stands above a campaign's pages, and guidelines in templates."""

from django import template
from django.template import Context
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe

from annotation.campaigns.campaigns import deadline_words
from annotation.campaigns.overrides import overrides_shown_to
from annotation.campaigns.progress_bars import state_bar, with_bars
from annotation.models import Campaign, Item
from corpus.tables import Column
from engines.text.markdown import render_markdown

register = template.Library()
register.filter("by_state", state_bar)
register.filter("bars", with_bars)

# Pages where labels are shown or what is made of them.
LABELS = (
    *("progress", "levels", "sample", "machines", "judgments", "unparsed"),
    *("agreement", "disagreements", "adjudication", "relevance"),
)


@register.inclusion_tag("annotation/templatetags/_override_notes.html", takes_context=True)
def page_notes(context: Context, campaign: Campaign, current: str = "") -> dict[str, object]:
    """What must be said above the campaign's page of this tab, if it shows labels of machines without a passed test."""
    user = context["request"].user
    return {"overrides": overrides_shown_to(user, campaign) if current in LABELS else [], "current": current}


@register.inclusion_tag("annotation/templatetags/_override_notes.html", takes_context=True)
def override_notes(context: Context, campaign: Campaign) -> dict[str, object]:
    """What must be printed with labels of machines that annotate without a passed test."""
    return {"overrides": overrides_shown_to(context["request"].user, campaign)}


@register.filter
def deadline(campaign: Campaign) -> str:
    """The last day to judge and how far away it is, or ""."""
    return deadline_words(campaign, timezone.localdate())


@register.filter
def cell_in(item: Item, column: Column) -> object:
    """What the column of a list of items has of this one, "" for nothing."""
    value = column.cell(item) if column.cell else None
    return "" if value is None else value


@register.filter
def markdown(text: str, headings_from: int = 3) -> SafeString:
    """Markdown as safe HTML, its headings from the given level on."""
    return mark_safe(render_markdown(text, headings_from=headings_from))  # noqa: S308 - sanitised there
