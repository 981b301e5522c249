"""A run that somebody uploads to be scored: TREC's six columns, read while they wait."""

import hashlib
from collections.abc import Mapping
from typing import BinaryIO

from accounts.refusals import Refused
from corpus.formats.records import BrokenFile, Problem, RunRow
from corpus.formats.trec_runs import read_run

MOST_BYTES = 20 << 20

Scores = Mapping[str, Mapping[str, float]]  # {topic number: {docno: score}}


def read_upload(stream: BinaryIO, file: str) -> tuple[Scores, str]:
    """The scores of a run, and the hash of its file.

    Errors: Refused for a file that is too large, empty, or has a line that is no row of a run.
    """
    content = stream.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise Refused(f"{file} is larger than {MOST_BYTES >> 20} MB. Keep the first 1,000 documents of each topic.")
    stream.seek(0)
    found: dict[str, dict[str, float]] = {}
    try:
        for row in read_run(stream, file):
            if isinstance(row, RunRow):
                found.setdefault(row.topic, {})[row.docno] = row.score
            elif isinstance(row, Problem):
                raise Refused(f"{file}, line {row.line}: {row.reason}. Nothing was scored.")
    except BrokenFile as broken:
        raise Refused(f"{broken}. Nothing was scored.") from broken
    if not found:
        raise Refused(f"{file} has no rows, so there is nothing to score.")
    return found, hashlib.sha256(content).hexdigest()
