"""What is drawn for an audit, and which figures are shown."""

from typing import Any, cast

from django import forms

from adjudication.labels.labels import judging_annotators
from adjudication.machine_audits.report import USUAL_DEPTH, Findings, find
from adjudication.models import MachineAudit
from annotation.campaigns.forms.settings import number_field
from annotation.models import Annotator, AnnotatorKind, Campaign, Criterion
from corpus.models import RetrievalRun
from engines.definitions.settings import DEPTH, SAMPLE, SEED

USUAL_SAMPLE = 200  # items


class AuditSampleForm(forms.Form):
    size = number_field(
        SAMPLE,
        initial=USUAL_SAMPLE,
        label="Items to draw",
        help_text="Drawn at random from what the machine labelled and people did not.",
    )
    machine = forms.ModelChoiceField(
        Annotator.objects.none(), to_field_name="name", required=False, help_text="Whose labels are audited."
    )
    criterion = forms.ModelChoiceField(
        Criterion.objects.none(), to_field_name="key", required=False, help_text="What the labels say."
    )
    by_disagreement = forms.BooleanField(
        required=False,
        initial=True,
        label="Divide by disagreement of machines",
        help_text="The sample is always divided by the machine's grades.",
    )
    by_topic = forms.BooleanField(
        required=False,
        initial=True,
        label="Divide by topic",
        help_text="So that every part of the topics is drawn from.",
    )
    seed = number_field(
        SEED, required=False, help_text="The same seed draws the same items. Left empty: the seed of the campaign."
    )

    def __init__(self, data: Any = None, *, campaign: Campaign, initial: Any = None) -> None:
        super().__init__(data, initial=initial)
        machines = judging_annotators(campaign).filter(kind=AnnotatorKind.MACHINE)
        for name, offered in (("machine", machines), ("criterion", campaign.criteria.all())):
            field = cast(forms.ModelChoiceField, self.fields[name])
            field.queryset = offered
            field.initial = offered[0] if len(offered) == 1 else None


class FiguresForm(forms.Form):
    """Which figures are shown; every field may be left empty."""

    run = forms.ModelMultipleChoiceField(
        RetrievalRun.objects.none(), to_field_name="name", required=False, label="Runs to measure"
    )
    depth = number_field(DEPTH, required=False, help_text="First documents of each run. Left empty: 10.")
    relevance = forms.IntegerField(
        required=False, label="Relevant from grade", help_text="Left empty: from the second level on."
    )
    half_width = forms.FloatField(
        required=False,
        min_value=0.1,
        max_value=50,
        label="Half-width wanted",
        help_text="Of the 95% interval of each grade's share, in percentage points. It gives the number of items.",
    )

    def __init__(self, data: Any = None, *, audit: MachineAudit) -> None:
        super().__init__(data)
        self.audit = audit
        cast(Any, self.fields["run"]).queryset = audit.campaign.collection.retrieval_runs.order_by("name")

    def findings(self) -> Findings:
        """What is asked for, of a valid form."""
        given = self.cleaned_data
        runs = [run.name for run in given["run"]]
        width = given["half_width"] and given["half_width"] / 100
        return find(self.audit, runs, given["depth"] or USUAL_DEPTH, given["relevance"], width)
