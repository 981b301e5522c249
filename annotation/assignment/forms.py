"""Forms about the annotators of a campaign and the plan of who judges what."""

from typing import Any

from django import forms
from rest_framework import serializers

from accounts.edits import remember_shown
from accounts.models import User
from accounts.rest_fields import Spelled
from annotation.assignment.queue_orders import ORDERS
from annotation.campaigns.forms.campaigns import STRATEGIES, InvitedField, possible_annotators, possible_invited
from annotation.campaigns.forms.settings import number_field
from annotation.models import Annotator, AnnotatorKind, AnnotatorState, Campaign, Strategy
from corpus.imports.forms import NamesField
from corpus.models import Membership
from engines.definitions.settings import (
    ANNOTATOR_NAME,
    CAPACITY,
    GOLD_GAP,
    GOLD_PERCENT,
    MOST_PAID,
    OVERLAP,
    REPEAT_GAP,
    REPEAT_PERCENT,
    SEED,
)


class MembersForm(forms.Form):
    """Members of the collection, and people who are invited, who are to judge."""

    users = forms.ModelMultipleChoiceField(
        queryset=User.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Members of the collection",
    )
    invited = InvitedField()

    def __init__(self, *args: Any, membership: Membership, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: dict[str, Any] = self.fields
        judging = campaign.annotators.exclude(state=AnnotatorState.REMOVED).filter(user__isnull=False)
        fields["users"].queryset = possible_annotators(membership).exclude(pk__in=judging.values("user"))
        invited = possible_invited(membership).exclude(annotators__campaign=campaign)
        fields["invited"].queryset = invited
        self.shown = [self[name] for name in ("users", "invited") if fields[name].queryset.exists()]

    def clean(self) -> dict[str, Any]:
        if not self.errors and not any(self.cleaned_data.values()):
            self.add_error("users", "Choose at least one person.")
        return self.cleaned_data


class NameForm(forms.Form):
    """Somebody without an account, or a machine."""

    name = forms.CharField(max_length=ANNOTATOR_NAME.most)
    kind = forms.ChoiceField(
        choices=[(AnnotatorKind.HUMAN, "a person without an account"), (AnnotatorKind.MACHINE, "a machine")]
    )
    model = forms.CharField(max_length=150, required=False, help_text="For a machine: the model that answers.")


class AnnotatorForm(forms.Form):
    """How an annotator counts; the page has buttons for the state."""

    name = forms.CharField(max_length=ANNOTATOR_NAME.most, help_text="Their name in this campaign.")
    weight = forms.FloatField(
        min_value=0.01,
        max_value=1000,
        help_text="Share of the load compared with the others, and of the vote where votes are weighted. 1 is usual.",
    )
    capacity = number_field(CAPACITY, required=False, help_text="Most items to assign to them. Left empty: no limit.")
    pay_rate = forms.FloatField(
        min_value=0,
        max_value=MOST_PAID,
        required=False,
        label="Rate of pay",
        help_text="Personal rate per hour or per item, as set for the campaign. Left empty: the campaign's rate.",
    )
    state = forms.ChoiceField(choices=AnnotatorState.choices, required=False, label="Whether they judge")

    def __init__(self, data: Any = None, *, annotator: Annotator) -> None:
        super().__init__(data, initial={name: getattr(annotator, name) for name in self.base_fields})
        remember_shown(self)

    def clean(self) -> dict[str, Any]:
        return {name: value for name, value in self.cleaned_data.items() if value or name != "state"}


class AmountForm(forms.Form):
    """How many items to take back."""

    most = forms.IntegerField(
        min_value=1, required=False, label="At most", help_text="Left empty: all unfinished items."
    )


class HandOverForm(AmountForm):
    """To whom, and how many."""

    target = forms.ModelChoiceField(queryset=Annotator.objects.none(), label="To")

    field_order = ("target", "most")

    def __init__(self, *args: Any, annotator: Annotator, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: dict[str, Any] = self.fields
        others = annotator.campaign.annotators.filter(state=AnnotatorState.ACTIVE, user__isnull=False)
        fields["target"].queryset = others.exclude(pk=annotator.pk).order_by("name")


class RejudgingForm(forms.Form):
    """Which judgments are asked again."""

    before = forms.IntegerField(
        min_value=2,
        required=False,
        label="Judged before version",
        help_text="Only judgments by earlier versions of the guideline than this, or by one that is not known. Left"
        " empty: the newest version.",
    )
    criterion = forms.CharField(
        required=False, max_length=40, help_text="Key of the criterion that the grades and differences are of."
    )
    grades = forms.CharField(
        required=False,
        max_length=100,
        help_text="Only judgments that gave one of these grades: values separated by commas. Left empty: any.",
    )
    topics = forms.CharField(
        required=False, max_length=10_000, help_text="Only these topics: numbers separated by commas. Left empty: all."
    )
    disagreeing = forms.BooleanField(required=False, label="Only items on which judgments differ")
    shows_former = forms.BooleanField(
        required=False,
        label="Let people look up what they gave before",
        help_text="Otherwise their former answer is out of their sight until they have judged again.",
    )

    def __init__(self, *args: Any, campaign: Campaign, **more: Any) -> None:
        super().__init__(*args, **more)
        self.initial.setdefault("shows_former", campaign.shows_former)
        if campaign.criteria.count() == 1:
            self.fields["criterion"].widget = forms.HiddenInput()

    def clean_grades(self) -> list[int]:
        try:
            return [int(each) for each in self._listed("grades")]
        except ValueError:
            raise forms.ValidationError("Grades are whole numbers, such as 0, 1.") from None

    def clean_topics(self) -> list[str]:
        return self._listed("topics")

    def _listed(self, name: str) -> list[str]:
        return [each.strip() for each in self.cleaned_data[name].split(",") if each.strip()]


class StrategyField(Spelled, forms.ChoiceField):
    """Explained on the page; over REST in the words of campaigns."""

    def rest_field(self, **common: Any) -> Any:
        return serializers.ChoiceField(Strategy.choices, **common)

    def text_of(self, value: Any) -> str:
        return str(value)


class PlanForm(forms.Form):
    overlap = number_field(
        OVERLAP,
        required=False,
        label="Annotators per item",
        help_text="Raise it to give every item more judges; existing assignments stay. Left empty: the number"
        " set for the campaign.",
    )
    strategy = StrategyField(
        choices=STRATEGIES, required=False, widget=forms.RadioSelect, label="How items reach people"
    )
    repeat_percent = number_field(
        REPEAT_PERCENT,
        required=False,
        label="Hidden repeats, percent",
        help_text="This share of each person's new items is shown to them a second time. Repeats are not"
        " marked. The agreement page shows how often people repeat their answer. Repeats do not count"
        " as further judgments of the item.",
    )
    repeat_gap = number_field(
        REPEAT_GAP,
        required=False,
        label="Gap before a repeat",
        help_text="Minimum number of other items before an item is repeated (of abstracts, where each is"
        " judged by all aspects).",
    )
    gold_percent = number_field(
        GOLD_PERCENT,
        required=False,
        label="Hidden gold, percent",
        help_text="Items with a known answer, in addition to each person's new items and as a share of them. They"
        " are not marked. Their answers count only in the results on known answers.",
    )
    gold_gap = number_field(
        GOLD_GAP,
        required=False,
        label="Gap between gold items",
        help_text="Minimum number of other items (or abstracts) between two of them.",
    )
    seed = number_field(
        SEED,
        required=False,
        help_text="The same seed and the same campaign give the same plan. Left empty: the seed of the campaign.",
    )

    def clean_repeat_percent(self) -> int:
        return self.cleaned_data["repeat_percent"] or 0

    def clean_gold_percent(self) -> int:
        return self.cleaned_data["gold_percent"] or 0

    def clean_repeat_gap(self) -> int:
        return self._or_usual("repeat_gap")

    def clean_gold_gap(self) -> int:
        return self._or_usual("gold_gap")

    def _or_usual(self, name: str) -> int:
        given: int | None = self.cleaned_data[name]
        return self.fields[name].initial if given is None else given


class QueueOrderForm(forms.Form):
    """What the open queue hands out next."""

    order = forms.ChoiceField(
        choices=lambda: [(one.name, f"{one.label[0].upper()}{one.label[1:]}: {one.about}") for one in ORDERS.values()],
        widget=forms.RadioSelect,
        help_text="Computed once, from what is known now: choose it again to update it. Items of an audit that come"
        " first lose that place.",
    )
    runs = NamesField(required=False, help_text="For holes of runs: their names, separated by commas.")
    seed = number_field(
        SEED, required=False, help_text="Shuffles the items, or those of equal rank. Left empty: the campaign’s seed."
    )
