"""Hints to who writes a topic, and the state of its review, in words."""

from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from accounts.templatetags.components import post
from corpus.models.topics import TopicKind
from corpus.topics.reviews import ReviewState
from engines.text.aspect_checks import CONTEXT, LONGER, REPEATED, SAME, Hint

register = template.Library()

LONGEST = 100  # characters of an aspect in a hint about it
BADGES = {  # look and words by state
    ReviewState.NONE: ("", "not reviewed"),
    ReviewState.WAITING: ("info", "waiting for a review"),
    ReviewState.CHANGES: ("warn", "changes asked for"),
    ReviewState.APPROVED: ("ok", "approved"),
    ReviewState.STALE: ("warn", "changed since approved"),
}


@register.simple_block_tag(takes_context=True)
def workshop_form(context: template.Context, content: str, view: str, *args: Any, **attributes: object) -> SafeString:
    """A form in the workshop of a topic: the answer takes the place of the whole workshop. Arguments as of `post`."""
    htmx = {"hx_post": reverse(view, args=args), "hx_target": "#workshop", "hx_swap": "outerHTML"}
    return post(context, content, view, *args, **attributes, **htmx)


@register.simple_tag
def hint_words(hint: Hint, *, draft: bool) -> SafeString | str:
    """What the writer should look at again. Below its aspect a hint does not name it, in a draft it does."""
    if hint.kind == CONTEXT:
        advice = "Annotators may see this aspect on its own, so name what you mean."
        return format_html("Points at something outside itself: <em>{}</em>. {}", hint.other, advice)
    if hint.kind == REPEATED:
        return "This text is already in the tree. Equal aspects are merged: judged once, counted once."
    text, other = (f"“{Truncator(each).chars(LONGEST)}”" for each in (hint.text, hint.other))
    if hint.kind == LONGER:
        longer = f"The sub-aspect {text} is longer than the aspect it stands below"
        longer = longer if draft else f"Is longer than the aspect it stands below, {other}"
        return f"{longer}. A part should say less than the whole."
    if hint.kind == SAME:
        differs = f"{text} differs" if draft else "Differs"
        return (
            f"{differs} from {other} in spaces, punctuation or capitals only, but would be judged separately."
            " Write both the same way, and they are one."
        )
    shares = f"{text} shares" if draft else "Shares"
    return f"{shares} most of its words with {other}; what both ask for counts twice."


@register.simple_tag
def origin_and_review(topic: Any) -> SafeString:
    """After a topic's kind, for those who oversee: where it came from, and how far its review is where it needs one."""
    source = format_html(" · {}", topic.source) if topic.source else ""
    if topic.review_state != ReviewState.NONE:
        return format_html("{} · {}", source, review_badge(topic.review_state))
    return format_html("{}{}", source, " · not reviewed" if topic.kind == TopicKind.COMPLEX_QUERY else "")


@register.simple_tag
def review_badge(state: str) -> SafeString:
    """Where the review of a topic stands."""
    return format_html('<span class="badge {}">{}</span>', *BADGES[ReviewState(state)])
