"""What can be done with splits: drawn, deleted."""

import re
from typing import Any, cast

from django import forms
from django.urls import reverse
from rest_framework import serializers

from accounts.operations import Operation, Rest
from accounts.rest_fields import Spelled
from adjudication.evaluation.subsets import CAMPAIGN_SPLIT, attribute_names, split_words
from adjudication.models import Split
from adjudication.splits.splits import delete_split, figures_of, make_split, members_of
from annotation.campaigns.forms.settings import number_field
from corpus.collections.places import in_collection, thing_in_collection
from corpus.collections.rules import MANAGE
from corpus.models import Collection
from engines.definitions.settings import SEED

_between = re.compile(r"[\s,=]").sub  # what the words of parts are read apart by


class PartsField(Spelled, forms.CharField):
    """Names with their shares, as `dev=40 test=60`: a dict, which REST takes as it is."""

    many = True

    def to_python(self, value: Any) -> Any:
        return _parse_parts((super().to_python(value) or "").replace(",", " ").split())

    def rest_field(self, **common: Any) -> Any:
        return serializers.DictField(child=serializers.FloatField(), **common)

    def text_of(self, value: Any) -> str:
        if isinstance(value, list):
            return " ".join(value)
        return " ".join(f"{_between('?', part)}={share!r}" for part, share in value.items())


def _parse_parts(words: list[str]) -> dict[str, float]:
    """{part: share} of words such as `dev=40`. Errors: ValidationError."""
    found: dict[str, float] = {}
    for word in words:
        name, _, share = word.partition("=")
        try:
            number = float(share)
        except ValueError:
            raise forms.ValidationError(f"“{word[:40]}” is not a name with its share, such as dev=40.") from None
        if name in found:
            raise forms.ValidationError(f"“{name[:40]}” is named twice.")
        found[name] = number
    return found


class AttributesField(forms.MultipleChoiceField):
    """Attributes of topics, also several in one word with commas between."""

    def to_python(self, value: Any) -> list[str]:
        return split_words(super().to_python(value), [name for name, _ in cast(Any, self.choices)])


class SplitForm(forms.Form):
    name = forms.CharField(max_length=40, initial="dev-test", help_text="Letters, digits, hyphens and underscores.")
    parts = PartsField(
        label="Parts",
        max_length=400,
        initial="dev=40 test=60",
        help_text="Each with its share of the topics, such as dev=40 test=60.",
    )
    within = AttributesField(
        label="Balanced by",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Every part gets its share of the topics of each value. If you choose none, chance alone decides.",
    )
    together = AttributesField(
        label="Kept together by",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Topics of one value are all in the same part, such as all questions of one author.",
    )
    seed = number_field(SEED, initial=1, help_text="The same seed over the same topics draws the same parts.")

    def __init__(self, data: Any = None, *, collection: Collection) -> None:
        super().__init__(data)
        names = [(name, name.replace("_", " ")) for name in attribute_names(collection) if _is_no_split(name)]
        for each in ("within", "together"):
            cast(forms.ChoiceField, self.fields[each]).choices = names


def _is_no_split(name: str) -> bool:
    return not name.startswith("split") and name != CAMPAIGN_SPLIT


def _report(split: Split) -> str:
    found = figures_of(split)
    counts = ", ".join(f"{part} {count:,}" for part, count in found.parts)
    return f"Split {split.name} of {found.total:,} topics: {counts}."


class SplitSerializer(serializers.ModelSerializer[Split]):
    class Meta:
        model = Split
        fields = ("name", "seed", "parameters", "created_at")


class SplitWithTopicsSerializer(SplitSerializer):
    """`topics` are the numbers of topics by part."""

    topics = serializers.SerializerMethodField()

    class Meta(SplitSerializer.Meta):
        fields = (*SplitSerializer.Meta.fields, "topics")  # type: ignore[assignment]

    def get_topics(self, split: Split) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {part: [] for part in split.parts}
        for number, part in members_of(split).items():
            found[part].append(number)
        return found


MAKE_SPLIT = Operation(
    called="make_split",
    rest=Rest("splits_create", SplitWithTopicsSerializer, takes="NewSplit"),
    task="Prepare",
    example="make_split demo dev-test --parts dev=25 test=75 --seed 7",
    action=make_split,
    form=SplitForm,
    place=in_collection("splits", "split_list", "collection"),
    roles=MANAGE,
    about="Draw parts of the topics by a seed and store them: for development and test, or for training.",
    title="Draw a split",
    lead="Parts of the topics, so that systems are tuned on one and tested on another. All topics are split at random"
    " by the seed. Topics of the same text, and topics made from another one, are always in the same part.",
    button="Draw the split",
    named=("name",),
    folded=("together", "seed"),
    fold="Topics that stay together, and the seed",
    report=_report,
    goes_to=lambda split: reverse("split_detail", args=[split.collection.slug, split.name]),
    shows=lambda split: SplitWithTopicsSerializer(split).data,
    has_dry_run=True,
)

DELETE_SPLIT = Operation(
    called="delete_split",
    rest=Rest("splits_delete", status=204),
    task="Prepare",
    example="delete_split demo dev-test",
    action=delete_split,
    place=thing_in_collection(
        "split", lambda of: of.splits.select_related("collection"), "splits", "split_list", key="name"
    ),
    roles=MANAGE,
    about="Delete a split. With its seed and the same topics it can be drawn again.",
    title="Delete a split",
    button="Delete this split",
    report=lambda split: f"Deleted the split {split.name}. With seed {split.seed} it can be drawn again.",
    goes_to=lambda split: reverse("split_list", args=[split.collection.slug]),
    shows=lambda split: {"split": split.name, "seed": split.seed},
)
