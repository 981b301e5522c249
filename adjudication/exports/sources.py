"""Whose labels a file is made of: that decides who may take it, whatever it was asked for by."""

from collections.abc import Iterable

from adjudication.exports.options import Options
from adjudication.queries.question_set import campaigns_rating
from annotation.models import Campaign, CampaignKind

WITHOUT_LABELS = ("blacklist",)  # of citation contexts: the names of papers alone


def labelled_campaigns(options: Options) -> Iterable[Campaign]:
    """The campaigns that judge what is written: of a question set, all that rate one of its questions; of citation
    contexts, all of papers; none for topics, documents and aspects."""
    if options.of_contexts:
        has_labels = options.kind.name not in WITHOUT_LABELS
        return options.collection.campaigns.filter(kind=CampaignKind.EXTRACTION) if has_labels else []
    if options.kind.questions:
        return campaigns_rating(options.collection, options.campaign)
    return [options.campaign] if options.campaign is not None else []
