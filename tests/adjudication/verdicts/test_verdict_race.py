"""Counts of votes, decisions and bulk acceptances at the same moment, over real connections: nothing lost or double."""

import contextlib
import random
import threading
from collections import Counter
from functools import partial

import pytest
from django.db import connection, transaction
from django.utils import timezone

from accounts import jobs
from accounts.models import AuditEvent, User
from accounts.refusals import Conflict
from adjudication.agreement.requests import request_vote
from adjudication.labels.queue import acceptable
from adjudication.models import Method, Verdict, VoteRun
from adjudication.verdicts.decisions import accept_votes, decide_verdict
from annotation.models import Campaign
from tests.adjudication.verdicts.test_votes import vote
from tests.databases import at_once, waits_for_a_lock
from tests.factories.adjudication import Built, build_campaign
from tests.processes import PATIENCE, wait_for

pytestmark = pytest.mark.django_db(transaction=True)

LABELS = [[0, 0, 0], [1, 1, 2], [0, 1, 2], [2, 2, 0]] * 12
BOTH = [Method.UNANIMOUS.value, Method.MAJORITY.value]


class Race:
    """Threads with separate connections, and what their actions said they did."""

    def __init__(self, built: Built) -> None:
        self.built = built
        self.judges = [built.people["manager"], built.people["adjudicator"]]
        self.decided: list[tuple[int, int, int]] = []  # verdict, value, judge
        self.accepted: Counter[int] = Counter()  # judge → how many votes

    def count(self) -> None:
        for _ in range(4):
            vote(self.built)

    def decide(self, judge: User, seed: int) -> None:
        """Decides 30 items in a personal order; where somebody was faster, they see it and go on."""
        rng = random.Random(seed)
        for verdict in rng.sample(list(Verdict.objects.exclude(method=Method.UNANIMOUS)), 30):
            value = rng.randrange(3)
            with contextlib.suppress(Conflict):
                decide_verdict(verdict=verdict, value=value, by=judge, at=timezone.now(), comment="So it is.")
                self.decided.append((verdict.pk, value, judge.pk))

    def accept(self, judge: User) -> None:
        """Accepts what the preview shows until it shows nothing, and looks again where it has changed."""
        values = {"criterion": self.built.criterion, "methods": BOTH, "by": judge}
        while expected := acceptable(self.built.criterion, BOTH, user=judge).count():
            with contextlib.suppress(Conflict):
                self.accepted[judge.pk] += accept_votes(**values, expected=expected, at=timezone.now())

    def run(self) -> None:
        works = [self.count, self.count, *(partial(self.accept, judge) for judge in self.judges)]
        works += [partial(self.decide, judge, seed) for seed, judge in enumerate(self.judges * 2)]
        assert at_once(*works) == [None] * len(works)


@pytest.mark.slow
def test_counts_decisions_and_acceptances_at_once() -> None:
    built = build_campaign(LABELS)
    vote(built)
    race = Race(built)
    race.run()

    rows = list(Verdict.objects.order_by("item"))
    ids = [who.pk for who in built.annotators.values()]
    votes = [
        (item.pk, list(map(list, zip(ids, row, strict=True)))) for item, row in zip(built.items, LABELS, strict=True)
    ]
    assert [(row.item_id, row.votes) for row in rows] == votes
    assert not any(row.reopened_at for row in rows)
    by_hand = [(row.pk, row.value, row.decided_by_id) for row in rows if row.method == Method.BY_HAND]
    assert by_hand == sorted(race.decided), "what counts is exactly what was acknowledged"
    assert Counter(row.decided_by_id for row in rows if row.method in BOTH) == race.accepted
    assert all(row.decided_at for row in rows if row.method in BOTH), "every vote accepted, and only once"

    events = AuditEvent.objects.filter(verb="decide_verdict").values_list("target_id", "data__value", "actor_id")
    assert sorted((int(pk), value, who) for pk, value, who in events) == by_hand
    bulk: Counter[int] = Counter()
    for who, count in AuditEvent.objects.filter(verb="accept_votes").values_list("actor_id", "data__accepted"):
        bulk[who] += count
    assert bulk == race.accepted
    settled = list(Verdict.objects.order_by("pk").values())
    vote(built)
    assert list(Verdict.objects.order_by("pk").values()) == settled, "counting again changes nothing"


def test_a_count_that_waits_reads_what_came_meanwhile() -> None:
    """Otherwise it would write older votes over those of a count that was asked for later but came first."""
    built: Built = build_campaign([[0, 0, None], [1, 1, None]])
    slow = request_vote(campaign=built.campaign, by=None, at=timezone.now(), send=False)

    def count() -> None:
        jobs.carry_out(slow)
        connection.close()

    thread = threading.Thread(target=count)
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=built.campaign.pk)
        thread.start()
        wait_for(waits_for_a_lock, what="the count to wait")
        built.label(built.items[0], "cai", 2)
        vote(built)
    thread.join(PATIENCE)
    assert [row.n_votes for row in Verdict.objects.order_by("item")] == [3, 2]
    assert VoteRun.objects.get(pk=slow.pk).state == "done"
