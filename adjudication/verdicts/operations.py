"""What can be done with verdicts: known answers are drawn from them, at every door; machine labels are corrected by
people, and a correction undone, by page and REST (the command `correct_machine_labels` is in commands.py). Deciding
ties and accepting votes is in pages."""

from dataclasses import replace
from typing import Any

from django import forms
from django.urls import reverse
from rest_framework import serializers

from accounts.counting import counted
from accounts.models import User
from accounts.operations import Found, Operation, Rest
from accounts.rest_records import serializer_of
from adjudication.labels.places import in_readable_campaign
from adjudication.models import MachineCorrection
from adjudication.verdicts.corrections import correct_machine_label, machine_labels, undo_correction
from adjudication.verdicts.known_answers import Drawn, draw_known_answers, sources_of
from annotation.campaigns.forms.settings import number_field
from annotation.campaigns.places import in_campaign
from annotation.models import Campaign
from corpus.collections.rules import DECIDE, MANAGE
from engines.definitions.settings import SAMPLE, SEED


class DrawForm(forms.Form):
    """Which campaign's verdicts, and how many items."""

    source = forms.CharField(
        max_length=80, label="Campaign to draw from", help_text="Short name of the campaign with the verdicts."
    )
    sample = number_field(SAMPLE, label="Items to draw", help_text="Drawn at random from its decided items.")
    seed = number_field(
        SEED, required=False, help_text="The same seed draws the same items. Left empty: the seed of the campaign."
    )

    def __init__(self, *args: Any, campaign: Campaign, reader: User | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.sources = sources_of(campaign, reader)
        found = [(one.slug, f"{one} ({counted(items, 'decided item')})") for one, items in self.sources]
        self.fields["source"].widget = forms.Select(choices=[("", "Choose…"), *found])
        self.fields["source"].help_text = "Other campaigns with the same criteria and with decided items."


DrawnSerializer = serializer_of(Drawn, "Drawn", about="", without=("campaign",))


def _drawn_in_words(done: Drawn) -> str:
    return f"{counted(done.drawn, 'item')} of {done.decided:,} decided ones drawn (seed {done.seed})."


_GOLD = in_campaign("gold_detail", "gold", page="gold", to_form=True)


def _for_reader(request: Any, roles: tuple[Any, ...], **where: Any) -> Found:
    found = _GOLD.page(request, roles, **where)
    return replace(found, form={**found.form, "reader": request.user})


DRAW_KNOWN_ANSWERS = Operation(
    called="draw_known_answers",
    rest=Rest("known_answers_draw", DrawnSerializer, takes="NewDraw"),
    task="Judge",
    example="draw_known_answers demo second-round first-pass 5 --seed 7",
    action=draw_known_answers,
    form=DrawForm,
    named=("source", "sample"),
    place=replace(_GOLD, page=_for_reader),
    roles=MANAGE,
    about="Draw known answers at random from the verdicts of another campaign. Comments on verdicts become"
    " explanations.",
    title="Draw known answers from verdicts",
    template="adjudication/verdicts/known_answers_draw.html",
    lead="Decided items of another campaign become items with a known answer here. Comments on their verdicts become"
    " explanations.",
    button="Draw",
    report=_drawn_in_words,
    goes_to=lambda done: reverse("gold_detail", args=[done.campaign.collection.slug, done.campaign.slug]),
    shows=lambda done: DrawnSerializer(done).data,
)


class LabelForm(forms.Form):
    """Which label of a machine."""

    label = forms.IntegerField(min_value=1, help_text="Number of the machine’s label.")


class CorrectionForm(LabelForm):
    """And the value that the item has."""

    value = forms.IntegerField(required=False, help_text="The right value. Left empty: the label is accepted as it is.")


class CorrectionSerializer(serializers.ModelSerializer[MachineCorrection]):
    given_by = serializers.CharField()
    criterion = serializers.CharField(source="criterion.key")

    class Meta:
        model = MachineCorrection
        fields = ("id", "item", "criterion", "machine", "said", "value", "given_by", "given_at", "undone_at")


def _list_of(correction: MachineCorrection) -> str:
    """The list with the one label, whatever else it shows: the page takes its row from there."""
    campaign = correction.criterion.campaign
    label = machine_labels(campaign).filter(
        assignment__item=correction.item, criterion=correction.criterion, assignment__annotator__name=correction.machine
    )
    where = reverse("machine_label_list", args=[campaign.collection.slug, campaign.slug])
    return f"{where}?criterion={correction.criterion.key}&label={label.values_list('pk', flat=True).first() or 0}"


CORRECT_MACHINE_LABEL = Operation(
    rest=Rest("machine_labels_correct", CorrectionSerializer, takes="NewCorrection"),
    action=correct_machine_label,
    form=CorrectionForm,
    place=in_readable_campaign("machine_label_list", page="machines"),
    roles=DECIDE,
    about="Correct a machine’s label, or accept it as it is. It is kept as your judgment, made in sight of the"
    " machine’s label, and decides the item; figures of agreement leave it out.",
    title="Correct a machine’s label",
    button="Correct",
    template="",
    report=lambda one: f"Corrected from {one.said} to {one.value}." if one.value != one.said else "Accepted.",
    goes_to=_list_of,
    shows=lambda one: CorrectionSerializer(one).data,
)

UNDO_CORRECTION = Operation(
    rest=Rest("machine_labels_undo", CorrectionSerializer, status=200, takes="UndoneLabel"),
    action=undo_correction,
    form=LabelForm,
    place=in_readable_campaign("machine_label_list", page="machines"),
    roles=DECIDE,
    about="Undo the correction of a machine’s label: the item is what the votes make of it again.",
    title="Undo a correction",
    button="Undo",
    template="",
    report=lambda _: "Undone.",
    goes_to=_list_of,
    shows=lambda one: CorrectionSerializer(one).data,
)
