"""Several uploads of one person at the same moment."""

import threading

import pytest
from django.db import connection

from accounts.refusals import Refused
from adjudication.models import LeaderboardEntry
from tests.adjudication.leaderboards.test_leaderboards import make_built, opened, run_text, upload


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_uploads_at_the_same_moment_do_not_pass_the_limit() -> None:
    built = make_built()
    board, start, said = opened(built), threading.Barrier(6), []

    def send(number: int) -> None:
        try:
            start.wait(60)
            upload(board, built, run_text({number}), name=f"run {number}")
            said.append("scored")
        except Refused as refusal:
            said.append(refusal.reason[:26])
        finally:
            connection.close()

    threads = [threading.Thread(target=send, args=(number,), daemon=True) for number in range(1, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(said) == ["You have had 2 runs scored"] * 4 + ["scored"] * 2
    assert LeaderboardEntry.objects.count() == 2
