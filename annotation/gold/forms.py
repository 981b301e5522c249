"""Forms about known answers and the purpose of a campaign."""

from typing import Any

from django import forms

from annotation.campaigns.forms.settings import number_field
from annotation.kind import Judged
from annotation.models import Campaign, KnownAnswer, Purpose
from corpus.imports.forms import ImportForm, match_field
from engines.definitions.settings import PASS_MARK
from engines.formats.known_answers import LONGEST_EXPLANATION


class KnownAnswerForm(forms.Form):
    """One item, and what is right about it."""

    topic = forms.CharField(max_length=255, help_text="Number of the topic.")
    aspect = forms.CharField(required=False, help_text="Text of the aspect, where aspects are judged.")
    docno = forms.CharField(required=False, max_length=255, help_text="Id of the document, where documents are judged.")
    criterion = forms.CharField(
        required=False, max_length=40, help_text="Key of the criterion. May be empty if the campaign has only one."
    )
    value = forms.IntegerField(label="Right level", help_text="Its value.")
    explanation = forms.CharField(
        required=False,
        max_length=LONGEST_EXPLANATION,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Why it is right. People in training read it after their answer.",
    )

    def __init__(self, *args: Any, campaign: Campaign | None = None, **more: Any) -> None:
        super().__init__(*args, **more)
        criteria = list(campaign.criteria.prefetch_related("levels")) if campaign else []
        if len(criteria) == 1:
            levels = [(level.value, f"{level.value} {level.label}") for level in criteria[0].levels.all()]
            self.fields["value"].widget = forms.Select({"dir": "auto"}, [("", "Choose"), *levels])
            self.fields["criterion"].widget = forms.HiddenInput()
            self.fields["value"].help_text = ""
        judges_documents = campaign is not None and campaign.kind_object.judges == Judged.DOCUMENTS
        self.fields["docno"].required = judges_documents
        if campaign and not judges_documents:
            self.fields["docno"].widget = forms.HiddenInput()


class RemovalForm(forms.Form):
    """Nothing is asked about a known answer that goes."""

    def __init__(self, data: Any = None, *, known_answer: KnownAnswer) -> None:
        self.known_answer = known_answer
        super().__init__(data)


class PurposeForm(forms.Form):
    """What a campaign is for, and the share of known answers to get right."""

    purpose = forms.ChoiceField(choices=Purpose.choices)
    pass_mark = number_field(
        PASS_MARK,
        required=False,
        help_text="Percent of the known answers to get right. A qualification needs one. In judging, managers are"
        " informed if somebody is surely below it. Nobody is paused automatically.",
    )


class KnownAnswerImportForm(ImportForm):
    """Files of known answers."""

    match = match_field()

    field_order = ("uploads", "format", "match", "dry_run")
