"""Search sheets: who may have one, and a filled one brought in as a run."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO

from accounts.models import User
from accounts.refusals import Refused
from adjudication.evaluation.presets.litsearch import KEPT
from adjudication.evaluation.reads.search_sheets import FilledSheet, read_sheet
from adjudication.evaluation.reads.spec import EvaluationSpec
from adjudication.evaluation.rules import check_can_see, check_not_sealed_labels
from corpus.collections.rules import check_manager
from corpus.imports.actions.imports import request_import
from corpus.models import Collection, ImportRun, Membership

MOST_BYTES = 10 << 20
TAG = "search-sheet"


@dataclass
class _Lines:
    """The run of a sheet as an uploaded file."""

    name: str | None
    sheet: FilledSheet

    def chunks(self) -> Iterator[bytes]:
        yield "".join(self.sheet.lines(TAG)).encode()


def check_can_sample(collection: Collection, membership: Membership | None) -> None:
    """Which questions a sheet has says which are kept, so the rule is that of figures; None: the command line.

    Errors: NotAllowed.
    """
    spec = EvaluationSpec(gold=KEPT, runs=())
    check_not_sealed_labels(collection, spec)
    if membership is not None:
        check_can_see(membership, spec)


def bring_sheet(
    *, collection: Collection, name: str, file: str, stream: BinaryIO, by: User | None, at: datetime, send: bool = True
) -> tuple[FilledSheet, ImportRun]:
    """Read a filled sheet and have it imported as the run `name`, which can be undone like any import.

    Errors: NotAllowed; Refused for a sheet that cannot be read, with its lines.
    """
    check_manager(collection, by)
    if len(stream.read(MOST_BYTES + 1)) > MOST_BYTES:
        raise Refused(f"{file} is larger than {MOST_BYTES >> 20} MB.")
    stream.seek(0)
    if not name.strip():
        raise Refused("Give the run a name, such as that of the search engine.")
    sheet = read_sheet(collection, stream, file)
    upload = _Lines(f"{file}.run", sheet)
    run = request_import(
        by=by,
        at=at,
        collection=collection,
        kind="runs",
        files=[upload],
        format="trec",
        send=send,
        name=name.strip(),
    )
    return sheet, run
