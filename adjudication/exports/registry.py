"""All exports, in the order of the page and of lists. A new one is a module in `exporters` and a line here."""

from adjudication.exporting.exporter import Exporter
from adjudication.exporting.forms import CONTEXT_LEVELS
from adjudication.exports.exporters.beir import Beir
from adjudication.exports.exporters.contexts import AcmCr, Blacklist, ContextQrels, ContextTopics
from adjudication.exports.exporters.documents import Documents, DocumentsParquet, DocumentsS2orc
from adjudication.exports.exporters.doris import DorisMae
from adjudication.exports.exporters.judgments import Judgments, JudgmentsJsonl
from adjudication.exports.exporters.qrels import Diversity, Qrels
from adjudication.exports.exporters.questions import QUESTION_EXPORTERS
from adjudication.exports.exporters.splits import Splits
from adjudication.exports.exporters.topics import Aspects, QueriesTxt, Topics, TopicsJsonl
from adjudication.exports.exporters.training import HardNegatives, Triplets
from adjudication.exports.exporters.verdicts import Verdicts
from corpus.plugins import Registry

EXPORTERS: Registry[Exporter] = Registry(
    "litmus.exporters",
    Exporter,  # type: ignore[type-abstract]  # the registry asks isinstance of it, and makes none
    Qrels(),
    Diversity(),
    Aspects(),
    Topics(),
    TopicsJsonl(),
    QueriesTxt(),
    Judgments(),
    JudgmentsJsonl(),
    Verdicts(),
    Documents(),
    DocumentsParquet(),
    DocumentsS2orc(),
    DorisMae(),
    Beir(),
    *(kind(level) for level in CONTEXT_LEVELS for kind in (ContextTopics, ContextQrels)),
    AcmCr(),
    Blacklist(),
    *QUESTION_EXPORTERS,
    Splits(),
    Triplets(),
    HardNegatives(),
)
