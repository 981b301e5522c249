"""Forms of the Anno-GPT page."""

from typing import Any

from django import forms

from accounts.refusals import NotHere
from annotation.models import AnnoCycle, Campaign, Criterion, Outcome, Split
from corpus.models import Collection
from engines.definitions.settings import RUNS

OUTCOMES = [
    (Outcome.ANNOTATE, "Annotate everything with the frozen machine"),
    (Outcome.AGAIN, "A new cycle, with a fresh test set"),
    (Outcome.STOP, "No machine: people annotate"),
]


class CycleForm(forms.Form):
    """What is fixed before anything is tried."""

    dev = forms.ModelChoiceField(
        queryset=Campaign.objects.none(),
        label="Development campaign",
        empty_label=None,
        help_text="People judge it, and prompts are tried on it. DORIS-MAE used about 90 pairs judged by two people.",
    )
    criterion = forms.ChoiceField(help_text="What is judged; other campaigns must use the same levels for it.")
    margin = forms.FloatField(
        initial=0.05,
        label="Margin of equivalence",
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text="A share: 0.05 is five points. The largest difference in agreement that does not matter. It"
        " cannot be changed later.",
    )
    runs = forms.IntegerField(
        min_value=1,
        max_value=RUNS.most,
        initial=2,
        label="Runs on the test set",
        help_text="Their figures are averaged.",
    )

    def __init__(self, *args: Any, collection: Collection, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        dev = self.fields["dev"]
        assert isinstance(dev, forms.ModelChoiceField)  # noqa: S101 - narrows the type
        criterion = self.fields["criterion"]
        assert isinstance(criterion, forms.ChoiceField)  # noqa: S101 - narrows the type
        keys = Criterion.objects.filter(campaign__collection=collection, campaign__split=Split.DEV)
        criterion.choices = [(key, key) for key in sorted(set(keys.values_list("key", flat=True)))]
        dev.queryset = collection.campaigns.filter(split=Split.DEV).order_by("-pk")


class OneCampaignForm(forms.Form):
    campaign = forms.CharField(max_length=80, help_text="short name of the campaign")

    def __init__(self, data: Any = None, *, cycle: AnnoCycle) -> None:
        super().__init__(data)
        self.cycle = cycle

    def clean(self) -> dict[str, Any]:
        """Errors: NotHere for a campaign that the collection does not have."""
        slug = self.cleaned_data.get("campaign", "")
        found = self.cycle.collection.campaigns.select_related("collection").filter(slug=slug).first()
        if slug and found is None:
            raise NotHere(f"{self.cycle.collection.slug} has no campaign “{slug}”.")
        return {"test": found}


class FreezingForm(forms.Form):
    machine = forms.CharField(
        max_length=200, help_text="`machine` or `name` of one tried on the development set, or the beginning of either"
    )

    def clean(self) -> dict[str, Any]:
        return {"key": self.cleaned_data.get("machine")}


class CycleDecisionForm(forms.Form):
    """How the cycle ends, and why."""

    outcome = forms.ChoiceField(choices=OUTCOMES, widget=forms.RadioSelect, label="What follows")
    override = forms.BooleanField(
        required=False,
        label="Override the test",
        help_text="The test is not passed. Your reason is then printed wherever labels of this machine are used:"
        " with figures of agreement, with verdicts, on the machine's page and in exported files.",
    )
    reason = forms.CharField(
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Kept with the table of the test, for everyone who uses the collection.",
    )

    def __init__(self, data: Any = None, *, may_use_test: bool = True, is_passed: bool = False) -> None:
        super().__init__(data)
        if is_passed or not may_use_test:
            del self.fields["override"]
        if not may_use_test:  # offered is what would be accepted now; why another one is refused, the action says
            self.fields["outcome"].widget = forms.RadioSelect(choices=OUTCOMES[-1:])
            self.fields["outcome"].initial = Outcome.STOP
