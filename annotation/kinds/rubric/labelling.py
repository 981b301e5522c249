"""How questions are rated on the labelling screen: its templates, its keys, what it knows in addition to its units."""

import json
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from accounts.counting import numeral
from annotation.assignment.participation import Participation
from annotation.kind import Key, Labelling
from annotation.kinds.rubric.units import fetch_units
from corpus.questions.authors import call_guideline
from engines.definitions.rubric_options import read_rubric_options
from engines.text.highlight import words_of_grammar
from engines.text.markdown import render_markdown

SKIP_REASONS = (
    gettext_noop("Outside my field: I cannot judge it"),
    gettext_noop("The question cannot be understood"),
    gettext_noop("A target is missing, broken or in a language I do not read"),
    gettext_noop("I wrote this question or a target of it, or am close to who did"),
)
TOO_BROAD = gettext_noop("too broad")  # the reason that “more than N papers fit” gives
COUNTED = (  # what overlap compares, as engines/text/overlap.py has it, which knows no translation
    gettext_noop("words split at whitespace, with case and punctuation (as LitSearch's code)"),
    gettext_noop("words without case, accents and punctuation"),
)
AUTHOR_GUIDELINES = (Path(__file__).parent / "author_guideline.md").read_text(encoding="utf-8").strip()


def rating_context(participation: Participation) -> dict[str, Any]:
    """What only the template of a rubric knows; the script's is `rating_data`."""
    options = read_rubric_options(json.loads(participation.options))
    return {
        "counting": options.counting,
        "author_guidelines": render_markdown(
            call_guideline(participation.collection) or AUTHOR_GUIDELINES, headings_from=4
        ),
        "most_fitting": options.most_fitting,
        "too_many": too_many(participation),
    }


def rating_data(participation: Participation) -> dict[str, Any]:
    """What the script must know to rate questions."""
    options = read_rubric_options(json.loads(participation.options))
    return {
        "fewFitting": min(options.few_fitting, options.most_fitting),
        "mostFitting": options.most_fitting,
        "tooMany": too_many(participation),
        "grammar": sorted(words_of_grammar(participation.language)),
    }


def too_many(participation: Participation) -> dict[str, Any] | None:
    """The grade for “more papers fit than may”, with reason and note; None where no level has that reason."""
    most = read_rubric_options(json.loads(participation.options)).most_fitting
    for scale in participation.scales:
        for value, reasons in sorted(scale.reasons.items()):
            if TOO_BROAD in reasons:
                note = _("More than {most} papers fit.").format(most=numeral(most))
                return {"criterion": scale.key, "value": value, "reason": TOO_BROAD, "note": note}
    return None


LABELLING = Labelling(
    layout="question",
    unit="annotation/kinds/_label_question.html",
    cell="annotation/kinds/_label_rating.html",
    noun=gettext_lazy("question"),
    fetch_units=fetch_units,
    skip_reasons=SKIP_REASONS,
    marks=gettext_lazy("words that question and targets share"),
    takes_extras=True,
    styles=("css/rating.css",),
    keys={
        "rewrite": Key("r", gettext_lazy("Rewrite the question")),
        "search": Key("s", gettext_lazy("Search the collection for papers that fit")),
        "too_many": Key("m", gettext_lazy("Discard the question: too many papers fit")),
    },
    context=rating_context,
    data=rating_data,
)
