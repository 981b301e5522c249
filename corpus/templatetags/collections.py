"""The pages about questions: each role sees those it may open."""

from django import template

from accounts.slots import tabs_for
from corpus.models import Membership

register = template.Library()


@register.inclusion_tag("corpus/templatetags/_question_tabs.html")
def question_tabs(membership: Membership, here: str) -> dict[str, object]:
    """The pages of the tab Questions; `here` is the key of the one that is shown."""
    slug = membership.collection.slug
    return {
        "tabs": [(tab.key, tab.label, tab.href(slug)) for tab in tabs_for("questions", membership.role)],
        "here": here,
    }
