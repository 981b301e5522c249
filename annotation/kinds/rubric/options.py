"""What a rubric can be set to, on pages: cut-offs of the overlap filter, and what makes a question kept."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django import forms

from annotation.kind import KindOptions
from engines.definitions.drafts import VALUES, BadOptions
from engines.definitions.rubric_options import (
    RubricOptions,
    read_cutoffs,
    read_rubric_options,
    usual_cutoffs,
    write_cutoffs,
)
from engines.text.overlap import DEFAULT, DEFINITIONS

CUTOFFS_HELP = " ".join(
    f"Cut-offs of “{each.label}”: {each.inside:g} for papers of the collection, {each.outside:g} for others."
    for each in DEFINITIONS.values()
)


class RubricOptionsForm(forms.Form):
    """Cut-offs of the overlap filter, and what makes a question kept."""

    overlap_definition = forms.ChoiceField(
        required=False,
        choices=[(name, each.label) for name, each in DEFINITIONS.items()],
        label="Word overlap compares",
        help_text=CUTOFFS_HELP,
    )
    cutoffs = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "class": "mono", "spellcheck": "false"}),
        label="Cut-offs of word overlap by source",
        help_text="One per line, such as “inline-acl = 0.3”. A question whose words overlap more with the"
        " titles of its targets is left out. Sources that are not named have no cut-off. Empty: the"
        " cut-offs that belong to what overlap compares. “none”: no cut-offs.",
    )
    filter_imported = forms.BooleanField(
        required=False,
        label="Apply the cut-offs to imported questions too",
        help_text="Otherwise the cut-offs apply only to questions that were made here.",
    )
    few_fitting = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=10_000,
        label="Most papers that fit a specific question",
        help_text="Raters see when they have found more than this.",
    )
    most_fitting = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=10_000,
        label="Most papers that may fit",
        help_text="Raters can discard a question with one key when they find more.",
    )
    keep = forms.CharField(
        required=False,
        max_length=40,
        label="Criterion that decides",
        help_text="The key of a criterion. If no criterion has this key, the last one decides.",
    )
    keep_from = forms.IntegerField(
        required=False,
        min_value=VALUES[0],
        max_value=VALUES[-1],
        label="Lowest level to keep",
        help_text="Questions at this level or above are kept.",
    )
    group = forms.CharField(
        required=False,
        max_length=40,
        label="Criterion that splits the statistics",
        help_text="The key of a criterion. If no criterion has this key, the first one is used.",
    )

    def __init__(self, data: Any = None, *, stored: Mapping[str, Any]) -> None:
        known = read_options(stored)
        usual = usual_cutoffs(known["overlap_definition"])
        shown = "" if known["cutoffs"] == usual else write_cutoffs(known["cutoffs"])
        super().__init__(data, initial={**known, "cutoffs": shown})
        self.fields["cutoffs"].widget.attrs["placeholder"] = write_cutoffs(usual)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        try:
            options: dict[str, Any] = {"overlap_definition": cleaned.get("overlap_definition") or DEFAULT}
            if lines := cleaned.get("cutoffs", "").strip():
                options["cutoffs"] = read_cutoffs(lines)
            for name in ("few_fitting", "most_fitting", "keep_from"):
                options[name] = getattr(RubricOptions(), name) if cleaned.get(name) is None else cleaned[name]
            for name in ("keep", "group"):
                options[name] = cleaned.get(name, "").strip()
            options["filter_imported"] = bool(cleaned.get("filter_imported"))
            self.options = read_rubric_options(options)
        except BadOptions as bad:
            self.add_error("cutoffs", bad.reason)
        return cleaned

    def as_json(self) -> dict[str, Any]:
        """The options of a valid form, as they are stored."""
        return asdict(self.options)


def read_options(values: Mapping[str, Any]) -> dict[str, Any]:
    return asdict(read_rubric_options(values))


OPTIONS = KindOptions(
    title="The rubric",
    summary="Cut-offs, and which questions are kept",
    read=read_options,
    form=RubricOptionsForm,
    belongs={"cutoffs": "overlap_definition"},
)
