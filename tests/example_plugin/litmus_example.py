"""Another package: an export of one line for each item and its verdict, a rule for ties, and a paper's table."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np

from adjudication.evaluation.layout import build_table
from adjudication.evaluation.presets.preset import Preset, PresetPart
from adjudication.evaluation.result import EvaluationResult
from adjudication.evaluation.spec import EvaluationSpec
from adjudication.evaluation.tables import ScoreColumn, ScoreTable
from adjudication.exporting.exporter import CampaignExporter, Options, TextExporter
from adjudication.exporting.forms import CampaignForm, WordField
from adjudication.exporting.streams import rows
from corpus.models import Collection
from engines.stats.policies import Ballots, TiePolicy
from engines.stats.results import IntArray

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


class FirstHits(Preset):
    name = "first-hits"
    label = "First hits"
    about = "How often the first document is relevant."
    parts: ClassVar = (PresetPart("campaign", ("P@1",)),)

    def table(
        self, collection: Collection, specs: Sequence[EvaluationSpec], done: Sequence[EvaluationResult]
    ) -> ScoreTable:
        return build_table(done[0], [(ScoreColumn("first"), done[0].whole, "P@1")], self.style)


FIRST_HITS = FirstHits()
