"""The options that exports share, each defined once; an exporter's form drives its page, API parameters and command.

Fields are Django's. What they may say in addition: values that are `is_strict` are refused by exports that do not have
the option, others are passed over there; `on_card` puts a field on the card of its export instead of above the list;
`offered` are the choices that a collection has, none of which leaves the field out of the page.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from django import forms
from django.db.models import Exists, OuterRef

from annotation.models import Item
from corpus.models import Collection

QUERY, ASPECT, SUB_QUERY = "query", "aspect", "sub-query"
PARAGRAPH, SENTENCE = "paragraph", "sentence"  # levels of citation contexts
CONTEXT_LEVELS = (PARAGRAPH, SENTENCE)
GRADES = ("sum", "binary", "mean")
UNRESOLVED = ("refuse", "skip")
EVERY, JUDGED = "every", "judged"  # which of a topic's aspects a document's score needs
ASPECTS = (EVERY, JUDGED)
Choices = Sequence[tuple[str, str]]


def words_of(field: forms.Field) -> list[str]:
    """The words one can choose from, none where the field is no choice."""
    return [str(word) for word, _ in cast(Choices, field.choices)] if isinstance(field, forms.ChoiceField) else []


def is_on(value: Any) -> bool:
    """Whether a switch is on, as addresses, forms and code say it."""
    return str(value).lower() in ("1", "true", "on")


class Switch(forms.CheckboxInput):
    """On for 1 and true, as addresses have it."""

    def __init__(self) -> None:
        super().__init__(attrs={"value": "1"})

    def value_from_datadict(self, data: Mapping[str, Any], _: Any, name: str) -> bool:
        return is_on(data.get(name, ""))


class SwitchField(forms.BooleanField):
    widget = Switch

    def __init__(self, *, strict: bool = False, former: str = "", **more: Any) -> None:
        """`former` is an option of the command that still means it, for one version."""
        super().__init__(required=False, initial=False, **more)
        self.strict, self.former = strict, former

    def is_strict(self, value: Any) -> bool:
        return self.strict and is_on(value)


class WordField(forms.ChoiceField):
    """One of some words, the first unless another is asked for."""

    def __init__(self, choices: Choices, *, strict: Sequence[str] = (), **more: Any) -> None:
        super().__init__(choices=choices, required=False, initial=choices[0][0], **more)
        self.strict = strict
        self.error_messages["invalid_choice"] = f"“%(value)s” is none of {', '.join(word for word, _ in choices)}."

    def is_strict(self, value: Any) -> bool:
        return value in self.strict


class LevelField(WordField):
    """What one topic of the file stands for."""

    def __init__(self, *levels: str, **more: Any) -> None:
        known = [(level, level) for level in levels]
        super().__init__(known, label="Level", strict=(SUB_QUERY, *CONTEXT_LEVELS), **more)

    def offered(self, collection: Collection, _: Mapping[str, Any]) -> Choices:
        levels = [level for level in words_of(self) if level not in CONTEXT_LEVELS]  # those have their own cards
        return [(level, level) for level in levels if level != SUB_QUERY or collection.sub_queries.exists()]


class CampaignField(forms.CharField):
    """A campaign's slug or name; whether there is one is for the exporter to find out."""

    widget = forms.Select

    def offered(self, collection: Collection, _: Mapping[str, Any]) -> Choices:
        """By name, those that have items first: a page begins with the first."""
        is_empty = ~Exists(Item.objects.filter(campaign=OuterRef("pk")))
        found = collection.campaigns.graded().order_by(is_empty, "name")
        return [(campaign.slug, str(campaign)) for campaign in found]


class CriterionField(forms.CharField):
    """A criterion's key; offered where the campaign has several."""

    widget = forms.Select

    def offered(self, collection: Collection, values: Mapping[str, Any]) -> Choices:
        campaign = collection.campaigns.filter(slug=values.get("campaign", "")).first()
        found = [(one.key, one.label) for one in campaign.criteria.all()] if campaign else []
        return found if len(found) > 1 else []


class UnresolvedField(WordField):
    """What happens to items whose value is missing or not sure."""

    def __init__(self) -> None:
        super().__init__(
            [("refuse", "no file until they are decided"), ("skip", "left out")],
            label="Undecided items",
            help_text="Undecided items: refuse, or skip them",
        )


class NumberField(forms.IntegerField):
    default_error_messages = {"invalid": "“%(value)s” is not a whole number of at most nine digits."}

    def to_python(self, value: Any) -> int | None:
        word = "" if value is None else str(value).strip()
        if word and not (word.removeprefix("-").isascii() and word.removeprefix("-").isdigit() and len(word) < 10):
            raise forms.ValidationError(self.error_messages["invalid"], "invalid", {"value": word[:40]})
        return int(word) if word else None


class ExportForm(forms.Form):
    """The options of an export; an export without further options uses it as it is."""

    @classmethod
    def ordered(cls) -> dict[str, forms.Field]:
        """The fields in the order of a form."""
        names = dict.fromkeys([*(cls.field_order or ()), *cls.base_fields])
        return {name: cls.base_fields[name] for name in names if name in cls.base_fields}

    def clean(self) -> dict[str, Any]:
        """Fields that were left empty have their initial value."""
        for name, field in self.fields.items():
            if self.cleaned_data.get(name) in (None, "") and field.initial is not None and name not in self.errors:
                self.cleaned_data[name] = field.initial
        return self.cleaned_data


class CampaignForm(ExportForm):
    """Of files about what one campaign judged."""

    campaign = CampaignField(required=False, label="Campaign", help_text="slug; required when there are several")
    criterion = CriterionField(required=False, label="Criterion", help_text="key; without one, the campaign's first")
    level = LevelField(QUERY, ASPECT)
    grades = WordField(
        [("sum", "sum over aspects"), ("binary", "mean of 1 or more"), ("mean", "mean, rounded")],
        label="Document grade",
        help_text="sum over aspects, mean of 1 or more, or rounded mean",
    )
    unresolved = UnresolvedField()


class SummedForm(CampaignForm):
    """Of files that hold scores of documents over the aspects of a query."""

    aspects = WordField(
        [(EVERY, "all of the topic"), (JUDGED, "only those judged")],
        label="Aspects that count",
        strict=(JUDGED,),
        help_text="score over every aspect of a topic, or over the judged ones only: then a comment file and a manifest"
        " go with the file",
    )
    field_order = ("campaign", "criterion", "level", "grades", "aspects", "unresolved")


class ByLevelForm(SummedForm):
    """Of files that hold such scores, or values of aspects."""

    def clean(self) -> dict[str, Any]:
        values = super().clean()
        if values.get("aspects") == JUDGED and values.get("level") == ASPECT:
            text = "Only scores over aspects can be written over the judged ones alone: by query or sub-query."
            self.add_error("aspects", text)
        return values
