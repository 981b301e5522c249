"""What can be done with verdicts as a whole: answers that are known elsewhere are drawn from them."""

from django import forms
from django.urls import reverse

from accounts.counting import counted
from accounts.operations import Operation
from accounts.rest_records import serializer_of
from adjudication.verdicts.known_answers import Drawn, draw_known_answers
from annotation.campaigns.forms.settings import number_field
from annotation.campaigns.places import in_campaign
from corpus.collections.rules import MANAGE
from engines.definitions.settings import SAMPLE, SEED


class DrawForm(forms.Form):
    """Which campaign's verdicts, and how many items."""

    source = forms.CharField(max_length=80, help_text="Short name of the campaign with the verdicts.")
    sample = number_field(SAMPLE, label="Items to draw", help_text="Drawn at random from its decided items.")
    seed = number_field(
        SEED, required=False, help_text="The same seed draws the same items. Left empty: the seed of the campaign."
    )


DrawnSerializer = serializer_of(Drawn, "Drawn", about="", without=("campaign",))


def _drawn_in_words(done: Drawn) -> str:
    return f"{counted(done.drawn, 'item')} of {done.decided:,} decided ones drawn (seed {done.seed})."


DRAW_KNOWN_ANSWERS = Operation(
    called="draw_known_answers",
    task="Judge",
    example="draw_known_answers demo second-round first-pass 5 --seed 7",
    action=draw_known_answers,
    form=DrawForm,
    named=("source", "sample"),
    place=in_campaign("gold_detail", "gold", page="gold"),
    roles=MANAGE,
    about="Draw known answers at random from the verdicts of another campaign. Comments on verdicts become"
    " explanations.",
    title="Draw known answers from verdicts",
    button="Draw",
    report=_drawn_in_words,
    goes_to=lambda done: reverse("gold_detail", args=[done.campaign.collection.slug, done.campaign.slug]),
    to_json=lambda done: DrawnSerializer(done).data,
)
