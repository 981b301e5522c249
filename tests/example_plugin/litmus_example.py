"""An export format of another package: one line for each item and its verdict, with a separator of one's choice."""

from collections.abc import Iterator

from adjudication.exports.exporter import CampaignExporter, Options
from adjudication.exports.forms import CampaignForm, WordField
from adjudication.exports.streams import rows

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


class Pairs(CampaignExporter):
    name = "pairs"
    label = "Pairs with values"
    suffix = "pairs.txt"
    about = "One line for each topic (or aspect) and document with its verdict."
    form = PairsForm

    def lines(self, options: Options) -> Iterator[str]:
        between = SEPARATORS[options["separator"]]
        return (between.join(map(str, row)) + "\n" for row in rows(STATEMENT, options))


PAIRS = Pairs()
