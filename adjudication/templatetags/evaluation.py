"""How figures of measures are printed, on pages as in tables."""

from django import template

from adjudication.evaluation.tables import figure_text, p_text

register = template.Library()


@register.filter
def measured(value: float | None, measure: str) -> str:
    """A value of a measure: percent for what lies between 0 and 1, counts as they are."""
    return "–" if value is None else figure_text(measure, value)


@register.filter
def gap(value: float | None, measure: str) -> str:
    """A difference of two values, with its sign."""
    if value is None:
        return "–"
    text = figure_text(measure, abs(value))
    return text if not text.strip("0.") else f"{'+' if value > 0 else '−'}{text}"


@register.filter
def p_value(value: float | None) -> str:
    """A p as papers print it."""
    return "–" if value is None else p_text(value)
