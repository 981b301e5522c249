"""Forms of leaderboards, in the words of the command and the API."""

from typing import Any, cast

from django import forms

from adjudication.evaluation.golds.registry import offered_golds
from adjudication.evaluation.reads.spec import MEASURES
from adjudication.leaderboards.actions import MOST_BYTES
from adjudication.leaderboards.reads import FEWEST_TOPICS, offered_topics
from adjudication.models.leaderboards import LONGEST_ABOUT, LONGEST_NAME, MOST_UPLOADS
from adjudication.stats.measures import measure_names
from corpus.models import Collection

UPLOADS = 3  # a person and day, unless said


class OpeningForm(forms.Form):
    """What a leaderboard scores runs by."""

    gold = forms.ChoiceField(label="Gold", help_text="As it is now: what is judged later changes nothing here.")
    topics = forms.ChoiceField(
        label="Test topics",
        required=False,
        help_text=f"Draw a split first to keep topics for the test. At least {FEWEST_TOPICS}.",
    )
    measures = forms.CharField(max_length=500, initial=" ".join(MEASURES))
    uploads = forms.IntegerField(
        label="Runs a person can upload in a day", min_value=1, max_value=MOST_UPLOADS, initial=UPLOADS
    )

    def __init__(self, data: Any = None, *, collection: Collection) -> None:
        super().__init__(data)
        cast(forms.ChoiceField, self.fields["gold"]).choices = offered_golds(collection)
        cast(forms.ChoiceField, self.fields["topics"]).choices = offered_topics(collection)
        known = ", ".join(measure_names())
        self.fields["measures"].help_text = f"Separated by spaces. The first one orders the runs. Available: {known}."

    def clean_measures(self) -> list[str]:
        return str(self.cleaned_data["measures"]).replace(",", " ").split()


class UploadForm(forms.Form):
    """A run to be scored."""

    name = forms.CharField(label="Name of the run", max_length=LONGEST_NAME)
    team = forms.CharField(
        label="Your name or team", max_length=LONGEST_NAME, required=False, help_text="Everybody can read it."
    )
    about = forms.CharField(
        label="About the run", max_length=LONGEST_ABOUT, required=False, help_text="Everybody can read it."
    )
    file = forms.FileField(
        label="Run",
        help_text=f"TREC's six columns: topic, Q0, docno, rank, score, tag; at most {MOST_BYTES >> 20} MB. Rank all "
        "topics: those that are not for the test are passed over.",
    )
