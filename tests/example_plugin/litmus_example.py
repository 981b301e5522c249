"""Another package: an export of one line for each item and its verdict, and a rule for ties."""

from collections.abc import Iterator

import numpy as np

from adjudication.exporting.exporter import CampaignExporter, Options, TextExporter
from adjudication.exporting.forms import CampaignForm, WordField
from adjudication.exporting.streams import rows
from adjudication.stats.policies import Ballots, TiePolicy
from adjudication.stats.results import IntArray

SEPARATORS = {"tab": "\t", "semicolon": ";"}
STATEMENT = """
SELECT t.number, d.docno, v.value FROM annotation_item i
JOIN corpus_topic t ON t.id = i.topic_id JOIN corpus_document d ON d.id = i.document_id
JOIN adjudication_verdict v ON v.item_id = i.id AND v.criterion_id = %(criterion)s AND v.value IS NOT NULL
WHERE i.campaign_id = %(campaign)s ORDER BY i.id
"""


class PairsForm(CampaignForm):
    separator = WordField(
        [("tab", "tabulator"), ("semicolon", "semicolon")], label="Separator", help_text="what stands between columns"
    )


class Pairs(TextExporter, CampaignExporter):
    name = "pairs"
    label = "Pairs with values"
    suffix = "pairs.txt"
    about = "One line for each topic (or aspect) and document with its verdict."
    form = PairsForm

    def lines(self, options: Options) -> Iterator[str]:
        between = SEPARATORS[options["separator"]]
        return (between.join(map(str, row)) + "\n" for row in rows(STATEMENT, options))


PAIRS = Pairs()


def rounded_mean(ballots: Ballots) -> IntArray:
    """(P,) the mean place of all votes on the scale, rounded half up."""
    levels = np.arange(ballots.scores.shape[1])
    return np.floor(ballots.scores @ levels / ballots.scores.sum(axis=1) + 0.5).astype(np.int64)


MEAN = TiePolicy("mean", "mean of all votes", "The mean of all votes on the item, rounded half up.", rounded_mean)
