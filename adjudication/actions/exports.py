"""What leaves the collection is checked and logged, whichever way it goes."""

from collections.abc import Mapping
from datetime import datetime

from accounts.audit import record_event
from accounts.models import User
from adjudication.exports.files import Export, open_export
from adjudication.exports.options import PREFIX_WORDS, Options
from adjudication.exports.sources import labelled_campaigns
from adjudication.models import ExportPrefixes
from adjudication.permissions import check_can_take_out
from corpus.models import Membership, Role


def take_out(
    *, options: Options, membership: Membership, at: datetime, chosen: Mapping[str, object], logged: bool = True
) -> Export:
    """The file for this member. A download is the one read that is logged; `chosen` are the words asked with.

    Prefixes of ids asked for by somebody who may decide about labels stay those of this export; a viewer's are used
    once. `logged=False` is for requests that get the head of the file alone.
    Errors: NotAllowed for annotators and for whoever still has to judge what is written; Refused by `open_export`.
    """
    check_can_take_out(membership, labelled_campaigns(options))
    export = open_export(options)
    if logged:
        if membership.role in (Role.MANAGER, Role.ADJUDICATOR) and any(name in chosen for name in PREFIX_WORDS):
            remember_prefixes(options)
        _note_download(options, membership.user, at, chosen)
    return export


def _note_download(options: Options, by: User, at: datetime, chosen: Mapping[str, object]) -> None:
    record_event(
        by=by,
        at=at,
        verb="download_export",
        target=options.campaign or options.collection,
        scope=options.collection,
        **{"format": options.kind.name, **{name: value for name, value in chosen.items() if value}},
    )


def remember_prefixes(options: Options) -> None:
    """Keep the prefixes of ids for the next time of the same export; of an archived collection they are used once."""
    if options.collection.archived_at:
        return
    ExportPrefixes.objects.update_or_create(
        collection=options.collection,
        campaign=options.campaign,
        kind=options.kind.name,
        defaults={"query": options.query_prefix, "document": options.document_prefix},
    )
