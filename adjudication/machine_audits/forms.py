"""Forms of audits: what to draw, and what to look at."""

from typing import Any

from django import forms

from adjudication.labels.labels import judging_annotators
from annotation.campaigns.forms.settings import number_field
from annotation.models import AnnotatorKind, Campaign
from engines.definitions.settings import SAMPLE, SEED

USUAL_SIZE = 200


class SampleForm(forms.Form):
    """What is drawn, and how it is parted."""

    size = number_field(
        SAMPLE,
        initial=USUAL_SIZE,
        label="Items to draw",
        help_text="Drawn at random from what the machine labelled and people did not. People judge them without a sign"
        " that they were drawn.",
    )
    machine = forms.CharField(required=False, help_text="Whose labels are audited. May be left out for one machine.")
    criterion = forms.CharField(required=False, help_text="Its key. May be left out where there is one criterion.")
    by_disagreement = forms.BooleanField(
        required=False,
        initial=True,
        label="Also by whether another machine says otherwise",
        help_text="The sample is always divided by the machine's grades, so that each grade is known well enough.",
    )
    by_topic = forms.BooleanField(
        required=False, initial=True, label="Also by topic", help_text="So that every part of the topics is in it."
    )
    seed = number_field(
        SEED, required=False, help_text="The same seed draws the same items. Left empty: the seed of the campaign."
    )

    def __init__(self, data: Any = None, *, campaign: Campaign, initial: Any = None) -> None:
        super().__init__(data, initial=initial)
        machines = judging_annotators(campaign).filter(kind=AnnotatorKind.MACHINE).values_list("name", flat=True)
        keys = campaign.criteria.values_list("key", "label")
        self.fields["machine"].widget = forms.Select(choices=[(name, name) for name in machines])
        self.fields["criterion"].widget = forms.Select(choices=list(keys))
