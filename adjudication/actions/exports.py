"""What leaves the collection is logged, whichever way it goes."""

from collections.abc import Mapping
from datetime import datetime

from accounts.audit import record_event
from accounts.models import User
from adjudication.exports.options import Options


def note_download(*, options: Options, by: User, at: datetime, chosen: Mapping[str, object]) -> None:
    """Who took what out, and when: a download is the one read that is logged. `chosen` are the words asked with."""
    record_event(
        by=by,
        at=at,
        verb="download_export",
        target=options.campaign or options.collection,
        scope=options.collection,
        **{"format": options.kind.name, **{name: value for name, value in chosen.items() if value}},
    )
