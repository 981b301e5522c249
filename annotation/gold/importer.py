"""The importer of known answers."""

from django.urls import reverse

from annotation.gold.forms import KnownAnswerImportForm
from annotation.gold.loading import load_known_answers
from annotation.models import Campaign
from corpus.imports.registry import Importer, WayOn, at_once
from corpus.models import ImportRun


def _way_on(run: ImportRun) -> WayOn:
    """The links to the known answers of its campaign, which may have been deleted."""
    where = Campaign.objects.filter(pk=run.parameters["campaign"]).values_list("collection__slug", "slug").first()
    if where is None:
        campaigns = reverse("campaign_list", args=[run.collection.slug])
        return WayOn(campaigns, "See the campaigns", campaigns)
    return WayOn(
        reverse("gold_detail", args=where), "See the known answers", reverse("known_answer_import", args=where)
    )


KNOWN_ANSWERS = Importer(
    name="known-answers",
    label="known answers",
    unit="known answers",
    title="Import known answers",
    about="What is right about items, for training, qualification and hidden gold: CSV with topic, aspect, docno,"
    " criterion, value and explanation. Items that the campaign lacks are added to it.",
    reading=at_once(load_known_answers),
    form=KnownAnswerImportForm,
    links=_way_on,
)
