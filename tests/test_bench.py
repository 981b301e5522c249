"""The benchmark of judging does judge: what it times is counted, whatever the answers are packed in."""

import time

import pytest

from annotation.models import Assignment, AssignmentState, Judgment
from bench.judging import judge
from bench.scenes import ANNOTATORS, build_scene


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("strategy", ["planned", "queue"])
def test_what_it_times_is_counted(live_server, strategy):
    scene = build_scene(40, strategy)
    times: list[tuple[float, float, int]] = []
    judge(live_server.thread.port, scene, ANNOTATORS - 1, [time.perf_counter() + 60], times)
    assert len(times) == Judgment.objects.count() == Assignment.objects.filter(state=AssignmentState.DONE).count()
    assert len(times) == {"planned": 25, "queue": 40}[strategy]
    assert all(seconds > 0 and received > 0 for _, seconds, received in times)
