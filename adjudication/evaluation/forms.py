"""The forms of evaluations, in the words of the commands."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.utils.functional import lazy
from rest_framework import serializers

from accounts.rest_fields import Spelled
from adjudication.evaluation import search_sheets
from adjudication.evaluation.golds.registry import GOLDS, offered_golds
from adjudication.evaluation.presets.registry import PRESETS, fitting_presets
from adjudication.evaluation.spec import EMPTY_TOPICS, INTERVALS, MEASURES, TOPICS, UNJUDGED, EvaluationSpec
from adjudication.evaluation.subsets import attribute_names, split_words
from adjudication.evaluation.unjudged import DEPTHS
from annotation.campaigns.forms.settings import number_field
from annotation.kind import Judged
from annotation.models import CampaignState
from corpus.models import Collection
from engines.definitions.settings import NAME, RESAMPLES, SEED
from engines.stats.measures import measure_names

LONGEST_LIST = 100_000  # characters of topic numbers
LONGEST_WORD = 300  # of a gold with its options
LONGEST_NUMBER = 6


class AnyWord(Spelled, forms.ChoiceField):
    """A word that the page offers; what there is not, the action refuses, saying what there is."""

    def rest_field(self, **common: Any) -> Any:
        return serializers.CharField(**common, allow_blank=True, default="", max_length=LONGEST_WORD)

    def text_of(self, value: Any) -> str:
        return str(value)

    def valid_value(self, value: Any) -> bool:
        return "\0" not in value and len(value) <= LONGEST_WORD


class AnyWords(Spelled, forms.MultipleChoiceField):
    """Several such words: REST takes at most so many, each at most so long."""

    def __init__(self, *, most: int, longest: int, **more: Any) -> None:
        super().__init__(**more)
        self.most, self.longest = most, longest

    def rest_field(self, **common: Any) -> Any:
        child = serializers.CharField(max_length=self.longest)
        return serializers.ListField(**common, child=child, max_length=self.most, default=list)

    def text_of(self, value: Any) -> list[str]:
        return list(value)

    def valid_value(self, value: Any) -> bool:
        return "\0" not in value and len(value) <= LONGEST_WORD


class WordsField(Spelled, forms.CharField):
    """Words with spaces between, which REST takes as a list: a list."""

    many = True

    def __init__(self, *, longest: int, most: int | None = None, **more: Any) -> None:
        super().__init__(**more)
        self.longest, self.most = longest, most

    def rest_field(self, **common: Any) -> Any:
        usual = {"default": self.initial.split()} if self.initial else {}
        child = serializers.CharField(max_length=self.longest)
        return serializers.ListField(**common, **usual, child=child, max_length=self.most, allow_empty=not usual)

    def text_of(self, value: Any) -> str:
        return " ".join(value)

    def to_python(self, value: Any) -> Any:
        return list(dict.fromkeys((super().to_python(value) or "").replace(",", " ").split()))


class DepthField(Spelled, forms.TypedChoiceField):
    """One of the DEPTHS; REST and the command take any up to the last."""

    def rest_field(self, **common: Any) -> Any:
        return serializers.IntegerField(**common, min_value=1, max_value=DEPTHS[-1], default=DEPTHS[1])

    def text_of(self, value: Any) -> str:
        return str(value)

    def valid_value(self, value: Any) -> bool:
        return value.isascii() and value.isdigit() and len(value) < LONGEST_NUMBER


class JudgingForm(forms.Form):
    """Which unjudged documents are to be judged, and in which campaign."""

    topics = WordsField(
        required=False,
        max_length=LONGEST_LIST,
        longest=150,
        label="Only these topics",
        help_text="Numbers separated by spaces. Left empty: all topics of the gold.",
    )
    depth = DepthField(
        label="Documents among the first",
        coerce=int,
        choices=[(depth, f"{depth} of any run") for depth in DEPTHS],
        initial=DEPTHS[1],
    )
    campaign = AnyWord(
        required=False,
        help_text="Items are added to it; existing items are kept.",
    )
    name = forms.CharField(
        required=False,
        max_length=NAME.most,
        label="Name of the new draft",
        help_text="Only for a new one. Where the gold is made of a campaign, it gets that campaign's criteria, "
        "guideline and people.",
    )

    def __init__(self, data: Any = None, *, collection: Collection, **more: Any) -> None:
        super().__init__(data, **more)
        known = collection.campaigns.judging(Judged.DOCUMENTS).exclude(state=CampaignState.CLOSED)
        names = [(each.slug, str(each)) for each in known.order_by("name")]
        cast(forms.ChoiceField, self.fields["campaign"]).choices = [("", "a new draft"), *names]


def pairs(values: Sequence[str], *words: str) -> list[tuple[str, str]]:
    """Choices: each value with its words."""
    return list(zip(values, words, strict=True))


def _golds_help() -> str:
    golds = ", ".join(kind.spelling for kind in GOLDS.values())
    return f"What counts as relevant: one of {golds}; options follow, such as campaign:main;unit=aspect."


def _presets_help() -> str:
    return f"A paper's table, which sets gold, measures and subsets: {', '.join(PRESETS)}."


def _layouts(collection: Collection) -> list[tuple[str, list[tuple[str, str]]]]:
    """The tables of papers: first those that can be made of what the collection holds."""
    fitting = fitting_presets(collection)
    others = [each for each in PRESETS.values() if each not in fitting]
    groups = (("Tables that fit this collection", fitting), ("Other tables", others))
    return [(title, [(each.name, each.label) for each in found]) for title, found in groups if found]


class EvaluationForm(forms.Form):
    """What to measure against what. The collection says which golds, runs and attributes there are.

    On the page all runs are chosen at first, the usual gold stands for none, and a gold may be typed.
    """

    gold = AnyWord(label="Gold", required=False, help_text=lazy(_golds_help, str)())
    runs = AnyWords(
        label="Runs",
        required=False,
        help_text="Which runs are measured, by name.",
        most=200,
        longest=100,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one run."},
    )
    measures = WordsField(
        label="Measures",
        required=False,
        max_length=4000,
        most=60,
        longest=60,
        initial=" ".join(MEASURES),
        help_text=lazy(lambda: f"Separated by spaces. Available: {', '.join(measure_names())}.", str)(),
    )
    by = AnyWords(
        label="Broken down by",
        required=False,
        help_text="Attributes of topics, such as source or kind.",
        most=4,
        longest=60,
        widget=forms.CheckboxSelectMultiple,
    )
    baseline = AnyWord(
        label="Test against", required=False, help_text="† marks runs that differ from it; without one, from the best."
    )
    preset = AnyWord(label="Table layout", required=False, help_text=lazy(_presets_help, str)())
    unjudged = forms.ChoiceField(
        label="Unjudged documents",
        required=False,
        initial=UNJUDGED[0],
        choices=pairs(UNJUDGED, "count as not relevant", "are taken out of every ranking"),
    )
    topics = forms.ChoiceField(
        label="Topics",
        required=False,
        initial=TOPICS[0],
        choices=pairs(TOPICS, "all of the gold", "those with a relevant document", "those that every run ranks"),
    )
    empty_topics = forms.ChoiceField(
        label="Topics without a relevant document",
        required=False,
        initial=EMPTY_TOPICS[0],
        choices=pairs(EMPTY_TOPICS, "are left out of the means", "count as 0, as in trec_eval"),
    )
    random = forms.BooleanField(label="Add a row of shuffled pools", required=False)
    sensitivity = forms.BooleanField(
        label="Measure dependence on the documents that only one method found",
        required=False,
        help_text="Methods are pooled runs, searches and lists.",
    )
    against = AnyWord(
        label="Second gold", required=False, help_text="How similarly the two golds order the runs (Kendall's τ)."
    )
    interval = forms.ChoiceField(
        label="Intervals",
        required=False,
        initial=INTERVALS[0],
        choices=pairs(
            INTERVALS, "by the number of topics", "percentile bootstrap", "bias-corrected bootstrap", "jackknife"
        ),
    )
    resamples = number_field(RESAMPLES, label="Resamples", required=False)
    seed = number_field(
        SEED,
        label="Seed",
        required=False,
        initial=EvaluationSpec.seed,
        help_text="The same seed always gives the same figures.",
    )

    def __init__(self, data: Any = None, *, collection: Collection, is_page: bool = False, preset: str = "") -> None:
        super().__init__(data, initial={"preset": preset})
        self.attributes, self.usual_gold = attribute_names(collection), ""
        self.golds: list[tuple[str, str]] = []  # those that the page offers
        self._choose("by", [(name, name.replace("_", " ")) for name in self.attributes])
        if is_page:
            self._offer(collection)

    def _offer(self, collection: Collection) -> None:
        golds = self.golds = list(offered_golds(collection))
        runs = list(collection.retrieval_runs.order_by("name").values_list("name", flat=True))
        self.usual_gold = golds[0][0] if golds else ""
        usual = f"{golds[0][1]} (usual)" if golds else "none yet"
        self._choose("gold", [("", usual), *golds])
        self._choose("against", [("", "none"), *golds])
        self._choose("runs", [(name, name) for name in runs])
        self._choose("baseline", [("", "the best run"), *((name, name) for name in runs)])
        self._choose("preset", [("", "runs × measures"), *_layouts(collection)])
        self.fields[
            "gold"
        ].help_text = "What counts as relevant. Where “(usual)” is chosen, a published table has its own gold instead."
        self.fields["preset"].help_text = "The others are tables of published papers, with their gold and measures."
        preset = PRESETS.get(self.data.get("preset", ""))
        self.fields["runs"].required = preset is None or preset.measures_runs
        self.fields["runs"].initial, self.fields["runs"].help_text = runs, ""
        self.fields["selector"] = forms.CharField(
            required=False,
            max_length=LONGEST_WORD,
            label="Gold in words",
            help_text="Such as campaign:main;unit=aspect;relevance=2. Replaces the choice above.",
        )

    def _choose(self, name: str, choices: list[tuple[str, Any]]) -> None:
        cast(forms.ChoiceField, self.fields[name]).choices = choices

    def _golds_of(self, preset: str) -> list[str]:
        """The golds on the page that the preset's own may mean, which does not say of which campaign."""
        own = [part.gold for part in PRESETS[preset].parts] if preset in PRESETS else []
        return [name for name, _ in self.golds if own == [name.partition(":")[0]]]

    def clean(self) -> dict[str, Any]:
        """{spec: the evaluation}; what was left empty is as in an evaluation that says nothing of it."""
        values = self.cleaned_data
        if self.errors:
            return values
        selector = values.pop("selector", "").strip()
        values["gold"] = selector or values["gold"]
        if not values["gold"] and (own := self._golds_of(values["preset"])):
            if len(own) > 1:
                named = " or ".join(dict(self.golds)[name] for name in own)
                self.add_error("gold", f"Choose which one the table is about: {named}.")
                return values
            values["gold"] = own[0]
        values["gold"] = values["gold"] or ("" if values["preset"] else self.usual_gold)
        values["by"] = split_words(values["by"], self.attributes)
        values["runs"] = dict.fromkeys(values["runs"])
        lists = {name: tuple(values[name]) for name in ("runs", "measures", "by")}
        said = {name: value for name, value in (values | lists).items() if value not in ("", None, ())}
        return {"spec": EvaluationSpec(**{"gold": "", "runs": (), **said})}


class SampleForm(forms.Form):
    """Which questions a sheet asks."""

    questions = forms.IntegerField(
        label="Questions from each origin",
        min_value=1,
        max_value=search_sheets.MOST_QUESTIONS,
        initial=search_sheets.QUESTIONS,
        help_text="As many from inline citations as from authors; only those that were kept and rated specific.",
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
