"""Questions in templates, exactly as the screen's script draws them."""

from typing import Any

from django import template
from django.utils.safestring import SafeString

from annotation.labelling.units import in_utf16
from annotation.templatetags.labelling import marked
from corpus.templatetags.overlap import share
from engines.definitions.rubric_options import read_rubric_options
from engines.text.highlight import words_of_grammar
from engines.text.overlap import shared_spans

register = template.Library()
register.filter("share", share)


@register.simple_tag
def shared_words(text: str, question: str, definition: str, language: str) -> SafeString:
    """The text with the words marked that the question has too, by a definition of overlap; not those of grammar."""
    return marked(text, in_utf16(text, shared_spans(text, question, definition, words_of_grammar(language))))


@register.filter
def overlap_rule(options: dict[str, Any]) -> str:
    """How a rubric counts word overlap and from where on it leaves a question out, from its stored options."""
    return read_rubric_options(options).overlap_rule


@register.filter
def paragraph_marked(paragraph: dict[str, Any]) -> SafeString:
    """A source paragraph with its target citations marked."""
    return marked(paragraph["text"], paragraph["marks"])


@register.filter
def hundredths(value: float | None) -> str:
    """A share in hundredths, for drawing."""
    return f"{100 * value:g}" if value else "0"


@register.filter
def is_above(value: float | str | None, cutoff: float | None) -> bool:
    """`value` is a text where a template found none."""
    return isinstance(value, float | int) and cutoff is not None and value > cutoff
