"""The forms of evaluations, in the words of the commands."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms

from adjudication.evaluation.golds.registry import offered_golds
from adjudication.evaluation.presets.registry import PRESETS
from adjudication.evaluation.reads import search_sheets
from adjudication.evaluation.reads.spec import EMPTY_TOPICS, INTERVALS, MEASURES, TOPICS, UNJUDGED, EvaluationSpec
from adjudication.evaluation.reads.subsets import attribute_names
from adjudication.evaluation.reads.unjudged import DEPTHS
from annotation.kind import Judged
from annotation.models import Campaign, CampaignState
from corpus.models import Collection
from engines.definitions.settings import RESAMPLES, SEED
from engines.stats.measures import measure_names

LONGEST_LIST = 100_000  # characters of topic numbers


class JudgingForm(forms.Form):
    """Which unjudged documents are to be judged, and in which campaign."""

    topics = forms.CharField(
        required=False,
        max_length=LONGEST_LIST,
        label="Only these topics",
        help_text="Numbers separated by spaces. Left empty: all topics of the gold.",
    )
    depth = forms.TypedChoiceField(
        label="Documents among the first", coerce=int, choices=[(depth, f"{depth} of any run") for depth in DEPTHS]
    )
    campaign = forms.ModelChoiceField(
        Campaign.objects.none(),
        required=False,
        to_field_name="slug",
        empty_label="a new draft",
        help_text="Items are added to it; what it has already stays. Afterwards, plan the assignment again.",
    )
    name = forms.CharField(
        required=False,
        max_length=100,
        label="Name of the new draft",
        help_text="Only for a new one. Where the gold is made of a campaign, it gets that campaign's criteria, "
        "guideline and people.",
    )

    def __init__(self, data: Any = None, *, collection: Collection, **more: Any) -> None:
        super().__init__(data, **more)
        known = collection.campaigns.judging(Judged.DOCUMENTS).exclude(state=CampaignState.CLOSED)
        cast(forms.ModelChoiceField, self.fields["campaign"]).queryset = known.order_by("name")

    def clean_topics(self) -> list[str]:
        return list(dict.fromkeys(self.cleaned_data["topics"].split()))

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if not values.get("campaign") and not (values.get("name") or "").strip():
            self.add_error("name", "A new draft needs a name.")
        return values


def pairs(values: Sequence[str], *words: str) -> list[tuple[str, str]]:
    """Choices: each value with its words."""
    return list(zip(values, words, strict=True))


class EvaluationForm(forms.Form):
    """What to measure against what. The collection says which golds, runs and attributes there are."""

    gold = forms.ChoiceField(
        label="Gold",
        required=False,
        help_text="What counts as relevant.",
    )
    selector = forms.CharField(
        required=False,
        max_length=300,
        label="Gold in words",
        help_text="Such as campaign:main;unit=aspect;relevance=2. Replaces the choice above.",
    )
    runs = forms.MultipleChoiceField(
        label="Runs", widget=forms.CheckboxSelectMultiple, error_messages={"required": "Choose at least one run."}
    )
    measures = forms.CharField(label="Measures", required=False, max_length=500)
    by = forms.MultipleChoiceField(label="Broken down by", required=False, widget=forms.CheckboxSelectMultiple)
    baseline = forms.ChoiceField(
        label="Test against", required=False, help_text="† marks runs that differ from it; without one, from the best."
    )
    preset = forms.ChoiceField(
        label="Table layout", required=False, help_text="Papers' tables set gold, measures and subsets."
    )
    unjudged = forms.ChoiceField(
        label="Unjudged documents",
        required=False,
        choices=pairs(UNJUDGED, "count as not relevant", "are taken out of every ranking"),
    )
    topics = forms.ChoiceField(
        label="Topics",
        required=False,
        choices=pairs(TOPICS, "all of the gold", "those with a relevant document", "those that every run ranks"),
    )
    empty_topics = forms.ChoiceField(
        label="Topics without a relevant document",
        required=False,
        choices=pairs(EMPTY_TOPICS, "are left out of the means", "count as 0, as in trec_eval"),
    )
    random = forms.BooleanField(label="Add a row of shuffled pools", required=False)
    sensitivity = forms.BooleanField(
        label="Measure the pools without what each method alone brought",
        required=False,
        help_text="Methods are pooled runs, searches and lists.",
    )
    against = forms.ChoiceField(
        label="Second gold", required=False, help_text="How similarly the two golds order the runs (Kendall's τ)."
    )
    interval = forms.ChoiceField(
        label="Intervals",
        required=False,
        choices=pairs(
            INTERVALS, "by the number of topics", "percentile bootstrap", "bias-corrected bootstrap", "jackknife"
        ),
    )
    resamples = forms.IntegerField(
        label="Resamples", required=False, min_value=RESAMPLES.least, max_value=RESAMPLES.most, initial=RESAMPLES.usual
    )
    seed = forms.IntegerField(
        label="Seed",
        required=False,
        min_value=SEED.least,
        max_value=SEED.most,
        initial=EvaluationSpec.seed,
        help_text="The same seed, the same figures.",
    )

    def __init__(self, data: Any = None, *, collection: Collection, **more: Any) -> None:
        super().__init__(data, **more)
        golds = offered_golds(collection)
        runs = list(collection.retrieval_runs.order_by("name").values_list("name", flat=True))
        names = [(name, name) for name in runs]
        self.usual_gold = golds[0][0] if golds else ""
        usual = f"{golds[0][1]}; for a paper's table, its own" if golds else "none yet"
        self._choose("gold", [("", usual), *golds])
        self._choose("against", [("", "none"), *golds])
        self._choose("runs", names)
        self._choose("baseline", [("", "the best run"), *names])
        self._choose("preset", [("", "runs × measures"), *((name, each.label) for name, each in PRESETS.items())])
        self._choose("by", [(name, name.replace("_", " ")) for name in attribute_names(collection)])
        preset = PRESETS.get((data or {}).get("preset", ""))
        self.fields["runs"].required = preset is None or preset.measures_runs
        self.fields["runs"].initial = runs
        self.fields["measures"].initial = " ".join(MEASURES)
        self.fields["measures"].help_text = f"Separated by spaces. Available: {', '.join(measure_names())}."

    def _choose(self, name: str, choices: list[tuple[str, str]]) -> None:
        cast(forms.ChoiceField, self.fields[name]).choices = choices

    def spec(self) -> EvaluationSpec:
        """The evaluation that was asked for; what was left empty is as in an evaluation that says nothing of it."""
        values = self.cleaned_data
        chosen: dict[str, Any] = {
            "gold": values["selector"].strip() or values["gold"] or ("" if values["preset"] else self.usual_gold),
            "runs": tuple(values["runs"]),
            "measures": tuple(values["measures"].replace(",", " ").split()),
            "by": tuple(values["by"]),
        }
        alike = ("baseline", "against", "unjudged", "topics", "empty_topics", "random", "sensitivity", "interval")
        chosen |= {name: values[name] for name in (*alike, "resamples", "seed", "preset")}
        said = {name: value for name, value in chosen.items() if _is_said(value)}
        return EvaluationSpec(**{"gold": "", "runs": (), **said})


def _is_said(value: Any) -> bool:
    return value not in ("", None, ())


class SampleForm(forms.Form):
    """Which questions a sheet asks."""

    questions = forms.IntegerField(
        label="Questions of each origin",
        min_value=1,
        max_value=search_sheets.MOST_QUESTIONS,
        initial=search_sheets.QUESTIONS,
        help_text="As many from inline citations as from authors; kept and specific ones only.",
    )
    results = forms.IntegerField(
        label="Results of each question",
        min_value=1,
        max_value=search_sheets.MOST_RESULTS,
        initial=search_sheets.RESULTS,
    )
    seed = forms.IntegerField(
        min_value=SEED.least,
        max_value=SEED.most,
        initial=search_sheets.SEED,
        help_text="The same seed, the same sample.",
    )


class FilledForm(forms.Form):
    """A filled sheet."""

    name = forms.CharField(label="Name of the run", max_length=100, help_text="Such as that of the search engine.")
    file = forms.FileField(label="Filled sheet", help_text="CSV with the columns topic, rank, docno and title.")
