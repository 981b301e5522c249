"""manage.py leaderboard SLUG show|open|close|reopen|upload|add-run|withdraw: the steps of the page."""

from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts.management.reporting import SteppedCommand, plain, user_with
from accounts.refusals import Refused
from adjudication.evaluation.reads.rankings import find_runs
from adjudication.evaluation.reads.spec import MEASURES
from adjudication.leaderboards.actions import (
    add_run,
    close_leaderboard,
    open_leaderboard,
    reopen_leaderboard,
    upload_run,
    withdraw_entry,
)
from adjudication.leaderboards.forms import UPLOADS
from adjudication.leaderboards.reads import board_as_json, newest_board
from adjudication.models import Leaderboard
from corpus.collections.reads.collections import collection_with


class Command(SteppedCommand):
    help = "A leaderboard that everybody can read: runs scored on test topics, without showing the gold."
    reads: ClassVar[dict[str, str]] = {"show": "show the runs, best first"}
    writes: ClassVar[dict[str, str]] = {
        "open": "open a leaderboard to everybody, with the gold as it is now",
        "close": "take the public page away and score no more runs",
        "reopen": "open the closed leaderboard again, with its runs and its gold",
        "upload": "have a run scored for a member",
        "add-run": "show a run of the collection, such as a baseline",
        "withdraw": "show a run no longer",
    }

    def add_open(self, parser: CommandParser) -> None:
        parser.add_argument("--gold", required=True, help="as of evaluate: campaign:main, targets …")
        parser.add_argument("--topics", default="", help="test topics: split:NAME=PART or split=PART; default: all")
        parser.add_argument("--measure", nargs="+", default=list(MEASURES), metavar="M", dest="measures")
        parser.add_argument("--uploads", type=int, default=UPLOADS, help=f"a person and day; default: {UPLOADS}")

    def add_upload(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="a run in TREC's six columns")
        parser.add_argument("--by", required=True, metavar="EMAIL", help="whose run it is")
        parser.add_argument("--name", required=True, help="of the run")
        parser.add_argument("--team", default="")
        parser.add_argument("--about", default="")

    def add_add_run(self, parser: CommandParser) -> None:
        parser.add_argument("run", help="name of a run of the collection")

    def add_withdraw(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="of the run")

    def show(self, *, slug: str) -> tuple[str, dict[str, Any]]:
        return _shown(_board(slug))

    def open(self, *, slug: str, **terms: Any) -> tuple[str, dict[str, Any]]:
        return _shown(open_leaderboard(collection=collection_with(slug), by=None, at=timezone.now(), **terms))

    def close(self, *, slug: str) -> tuple[str, dict[str, Any]]:
        return _shown(close_leaderboard(board=_board(slug), by=None, at=timezone.now()))

    def reopen(self, *, slug: str) -> tuple[str, dict[str, Any]]:
        return _shown(reopen_leaderboard(board=_board(slug), by=None, at=timezone.now()))

    def upload(self, *, slug: str, file: str, by: str, **words: str) -> tuple[str, dict[str, Any]]:
        board, person, path = _board(slug), user_with(by), Path(file)
        try:
            with path.open("rb") as stream:
                upload_run(board=board, file=path.name, stream=stream, by=person, at=timezone.now(), **words)
        except OSError as error:
            raise Refused(f"{file} cannot be read: {error.strerror}.") from error
        return _shown(board)

    def add_run(self, *, slug: str, run: str) -> tuple[str, dict[str, Any]]:
        board = _board(slug)
        (found,) = find_runs(board.collection, [run])
        add_run(board=board, run=found, by=None, at=timezone.now())
        return _shown(board)

    def withdraw(self, *, slug: str, name: str) -> tuple[str, dict[str, Any]]:
        board = _board(slug)
        entry = board.entries.filter(name=name, withdrawn_at__isnull=True).first()
        if entry is None:
            raise Refused(f"There is no run named {name} on the leaderboard.")
        withdraw_entry(entry=entry, by=None, at=timezone.now())
        return _shown(board)


def _board(slug: str) -> Leaderboard:
    found = newest_board(collection_with(slug))
    if found is None:
        raise Refused(f"{slug} has no leaderboard yet. Open one first.")
    return found


def _shown(board: Leaderboard) -> tuple[str, dict[str, Any]]:
    found = board_as_json(board)
    state = "open" if board.is_open else "closed"
    lines = [f"{board.label}, {board.topics_label} ({board.n_topics:,} topics): {state}"]
    for run in found["runs"]:
        values = [f"{name} {_number(run['figures'][name]['value'])}" for name in board.measures]
        lines.append(f"{run['name']}: {', '.join(values)}")
    found["runs"] = [plain(run) for run in found["runs"]]
    return "\n".join(lines), plain(found)


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"
