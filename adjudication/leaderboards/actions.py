"""Opening and closing leaderboards, having runs scored there, and withdrawing them."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import BinaryIO

from django.db import transaction

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Conflict, Refused, taken_is_conflict
from adjudication.evaluation.golds.qrels import in_collection
from adjudication.evaluation.golds.registry import check_gold, lasting_selector
from adjudication.evaluation.reads.rankings import rankings_of
from adjudication.evaluation.reads.spec import EvaluationSpec
from adjudication.labels.rules import fetch_role
from adjudication.leaderboards.reads import freeze_gold, offered_topics, score_run, uploads_today
from adjudication.leaderboards.rules import check_can_open, check_can_upload
from adjudication.models import Leaderboard, LeaderboardEntry
from adjudication.models.leaderboards import LONGEST_ABOUT, LONGEST_NAME, MOST_UPLOADS
from adjudication.stats.rankings import RankedList, rank
from corpus.collections.rules import check_manager, check_not_archived
from corpus.formats.records import BrokenFile, Problem, RunRow
from corpus.formats.trec_runs import read_run
from corpus.models import Collection, RetrievalRun

MOST_BYTES = 20 << 20  # of an uploaded run
Scores = Mapping[str, Mapping[str, float]]  # {topic number: {docno: score}}


@transaction.atomic
def open_leaderboard(
    *,
    collection: Collection,
    gold: str,
    topics: str,
    measures: Sequence[str],
    uploads: int,
    by: User | None,
    at: datetime,
) -> Leaderboard:
    """Show everybody how runs do on the test topics, by the gold as it is now: what is judged later changes nothing.

    `topics` is one of the words of `offered_topics`. Errors: NotAllowed, Refused for words that make no sense and for
    too few test topics, Conflict while a board is open.
    """
    check_gold(collection, gold)
    check_can_open(collection, gold, by)
    names = tuple(each.name for each in EvaluationSpec(gold=gold, runs=(), measures=tuple(measures)).parsed())
    if topics not in dict(offered_topics(collection)):
        known = ", ".join(word for word, _ in offered_topics(collection) if word)
        raise Refused(f"There are no test topics “{topics[:60]}”. " + (f"There is {known}." if known else ""))
    if not 1 <= uploads <= MOST_UPLOADS:
        raise Refused(f"Between 1 and {MOST_UPLOADS} runs can be uploaded by a person in a day.")
    attribute, _, part = topics.partition("=")
    frozen = freeze_gold(collection, gold, attribute, part)
    with taken_is_conflict("A leaderboard is open already. Close it first."):
        board = Leaderboard.objects.create(
            collection=collection,
            selector=lasting_selector(collection, gold),
            attribute=attribute,
            part=part,
            measures=list(names),
            uploads=uploads,
            opened_by=by,
            opened_at=at,
            **frozen,
        )
    facts = {"gold": board.selector, "topics": topics, "measures": list(names), "uploads": uploads}
    record_event(by=by, at=at, verb="open_leaderboard", target=board, scope=collection, **facts)
    return board


@transaction.atomic
def close_leaderboard(*, board: Leaderboard, by: User | None, at: datetime) -> Leaderboard:
    """Close the public page and score no further runs. Members still see the results."""
    check_manager(board.collection, by)
    board = _locked(board)
    if not board.is_open:
        raise Conflict("The leaderboard is closed already.")
    board.closed_at = at
    board.save(update_fields=["closed_at"])
    record_event(by=by, at=at, verb="close_leaderboard", target=board, scope=board.collection)
    return board


@transaction.atomic
def reopen_leaderboard(*, board: Leaderboard, by: User | None, at: datetime) -> Leaderboard:
    """Open a closed board again, with its runs and the gold it was opened with."""
    check_can_open(board.collection, board.selector, by)
    board = _locked(board)
    if board.is_open:
        raise Conflict("The leaderboard is open already.")
    board.closed_at = None
    with taken_is_conflict("Another leaderboard of the collection is open. Close it first."):
        board.save(update_fields=["closed_at"])
    record_event(by=by, at=at, verb="reopen_leaderboard", target=board, scope=board.collection)
    return board


@transaction.atomic
def upload_run(
    *,
    board: Leaderboard,
    name: str,
    team: str = "",
    about: str = "",
    file: str,
    stream: BinaryIO,
    by: User,
    at: datetime,
) -> LeaderboardEntry:
    """Score a run of the person's. A file that is no run of the collection is no upload.

    Every other counts for the day, also one that ranks no test topic.

    Errors: NotAllowed for strangers and those who still have to judge, Refused for a closed board, a file that is no
    run, and over the limit, Conflict for a name that is taken and for a file that was scored before.
    """
    check_can_upload(board, by)
    board = _locked(board)  # uploads come one after the other, so that nobody passes the limit
    check_can_upload(board, by)
    if uploads_today(board, by, at) >= board.uploads:
        raise Refused(
            f"You have had {board.uploads} {'run' if board.uploads == 1 else 'runs'} scored today, which is the most "
            "for a person and day. Come back tomorrow."
        )
    scores, sha256 = _read_upload(stream, file)
    if board.entries.filter(sha256=sha256, submitted_by=by).exists():
        raise Conflict("You have had this very file scored already.")
    own, _, _ = in_collection(board.collection, {topic: dict(each) for topic, each in scores.items()})
    if not own:
        raise Refused(f"{file} ranks no topic of this collection. Is it a run of another one? It was not scored.")
    rankings = [rank(topic, each) for topic, each in own.items()]
    return _enter(board, rankings, name=name, team=team, about=about, sha256=sha256, by=by, at=at)


@transaction.atomic
def add_run(*, board: Leaderboard, run: RetrievalRun, by: User | None, at: datetime) -> LeaderboardEntry:
    """A manager shows a run of the collection on the board, such as a baseline."""
    check_can_open(board.collection, board.selector, by)
    board = _locked(board)
    if not board.is_open:
        raise Refused("The leaderboard is closed, so no run is scored there.")
    measures = EvaluationSpec(gold=board.selector, runs=(), measures=tuple(board.measures)).parsed()
    entry = _enter(board, rankings_of(run, board.unit, measures), name=run.name, by=by, at=at)
    if not entry.ranked:
        raise Refused(f"{run.name} ranks none of the test topics. Is it a run for something else?")
    return entry


@transaction.atomic
def withdraw_entry(*, entry: LeaderboardEntry, by: User | None, at: datetime) -> None:
    """Show a run no longer: allowed to who uploaded it, and to managers. Errors: NotAllowed, Conflict."""
    board = entry.leaderboard
    if by is not None and entry.submitted_by_id == by.pk:
        fetch_role(board.collection, by)
        check_not_archived(board.collection)
    else:
        check_manager(board.collection, by)
    entry = LeaderboardEntry.objects.select_for_update().get(pk=entry.pk)
    if entry.withdrawn_at:
        raise Conflict("This run was withdrawn already.")
    entry.withdrawn_at = at
    entry.save(update_fields=["withdrawn_at"])
    record_event(by=by, at=at, verb="withdraw_entry", target=entry, scope=board.collection)


def _enter(
    board: Leaderboard,
    rankings: Iterable[RankedList],
    *,
    name: str,
    by: User | None,
    at: datetime,
    team: str = "",
    about: str = "",
    sha256: str = "",
) -> LeaderboardEntry:
    name, team, about = (" ".join(text.split()) for text in (name, team, about))
    if not name:
        raise Refused("Give the run a name.")
    figures, ranked = score_run(board, rankings)
    with taken_is_conflict(f"There is a run named {name} on the leaderboard already. Choose another name."):
        entry = LeaderboardEntry.objects.create(
            leaderboard=board,
            name=name[:LONGEST_NAME],
            team=team[:LONGEST_NAME],
            about=about[:LONGEST_ABOUT],
            sha256=sha256,
            ranked=ranked,
            figures=figures,
            submitted_by=by,
            submitted_at=at,
        )
    verb = "upload_run" if sha256 else "add_run_to_leaderboard"
    record_event(by=by, at=at, verb=verb, target=entry, scope=board.collection, sha256=sha256)
    return entry


def _read_upload(stream: BinaryIO, file: str) -> tuple[Scores, str]:
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


def _locked(board: Leaderboard) -> Leaderboard:
    return Leaderboard.objects.select_for_update(of=("self",)).select_related("collection").get(pk=board.pk)
