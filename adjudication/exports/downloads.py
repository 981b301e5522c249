"""Downloads of exports, checked and logged for page and API alike."""

from datetime import datetime

from accounts.audit import record_event
from adjudication.exporting.exporter import Options
from adjudication.exports.files import Export, open_export
from adjudication.labels.rules import check_can_take_out
from corpus.collections.rules import DECIDE
from corpus.models import Membership


def download_export(*, options: Options, membership: Membership, at: datetime, logged: bool = True) -> Export:
    """The file for this member. A download is the only read that is logged, with its options.

    What an export remembers of somebody who may decide about labels stays; a viewer's is used once. `logged=False` is
    for requests that get the head of the file alone.
    Errors: NotAllowed for annotators and for those who still have to judge what is written; Refused by `open_export`.
    """
    check_can_take_out(membership, options.exporter.campaigns(options))
    export = open_export(options)
    if logged:
        if membership.role in DECIDE:
            options.exporter.remember(options)
        record_event(
            by=membership.user,
            at=at,
            verb="download_export",
            target=options.campaign or options.collection,
            scope=options.collection,
            **{"format": options.exporter.format, **{name: value for name, value in options.words.items() if value}},
        )
    return export
