"""All exports, in the order of the page and of lists.

A new one is a module in `adjudication/exports/exporters` and a line here.
"""

from adjudication.exporting.exporter import Exporter
from engines.plugins import Registry

# Paths and not objects: exporters belong to a room above this one, and read what they export in others.
EXPORTERS: Registry[Exporter] = Registry(
    "litmus.exporters",
    Exporter,  # type: ignore[type-abstract]  # the registry asks isinstance of it, and makes none
    "adjudication.exports.exporters.qrels:EXPORTERS",
    "adjudication.exports.exporters.topics:EXPORTERS",
    "adjudication.exports.exporters.judgments:EXPORTERS",
    "adjudication.exports.exporters.verdicts:EXPORTERS",
    "adjudication.exports.exporters.documents:EXPORTERS",
    "adjudication.exports.exporters.doris:EXPORTERS",
    "adjudication.exports.exporters.beir:EXPORTERS",
    "adjudication.exports.exporters.contexts:EXPORTERS",
    "adjudication.exports.exporters.questions:EXPORTERS",
    "adjudication.exports.exporters.splits:EXPORTERS",
    "adjudication.exports.exporters.training:EXPORTERS",
)
