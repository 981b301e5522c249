"""Many questions to one endpoint: some at a time, not too fast, tried again, stoppable; each reply kept at once.

Threads only wait for the network. Everything else, `keep` above all, happens in the caller's own thread, and no
further question is asked before the replies that have come are kept: a crash loses at most the questions on their
way, never an answer that was read. Stopping lets those on their way come in and keeps them, because they are paid for.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from engines.endpoints.chat import Rejected, Unusable
from engines.endpoints.connections import Busy

K = TypeVar("K")
Q = TypeVar("Q")
R = TypeVar("R")

TICK = 0.25  # seconds between two looks at whether to stop


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast to ask: questions at once, requests per minute (0: no limit), tries for each question, seconds before
    the second try (doubled each time, up to the longest), and how many failures in a row mean an endpoint is down."""

    concurrency: int = 4
    per_minute: int = 60
    attempts: int = 6
    first_wait: float = 1.0
    longest_wait: float = 120.0
    give_up_after: int = 5


@dataclass(frozen=True, slots=True)
class Failure:
    """A question without an answer after so many tries; `reason` is that of the last."""

    reason: str
    attempts: int


USUAL_ROW = 12


@dataclass(slots=True)
class UnreadableRow:
    """Stops a job after `most` answers in a row that could not be read: the next would cost as much (0: never).

    Who continues a job has looked, so a new row begins.
    """

    most: int = USUAL_ROW
    length: int = 0
    problem: str = ""

    def note(self, problem: str) -> None:
        """Count an answer; `problem` is why it could not be read, "" for one that could."""
        self.length = self.length + 1 if problem else 0
        self.problem = problem

    def check(self) -> None:
        """Raise Unusable once the row is that long."""
        if self.most and self.length >= self.most:
            raise Unusable(
                f"{self.length} answers in a row could not be read; the last because: {self.problem.rstrip('.')}."
                " Look at them, then change the prompt or the model, or continue anyway"
            )


@dataclass(order=True, slots=True)
class _Turn(Generic[K, Q]):
    """A question that waits for its next try."""

    due: float
    number: int
    attempt: int = field(compare=False)
    key: K = field(compare=False)
    question: Q = field(compare=False)


def ask_all(
    questions: Iterable[tuple[K, Q]],
    ask: Callable[[Q], R],
    keep: Callable[[K, R | Failure], None],
    pace: Pace,
    *,
    rng: np.random.Generator,
    check: Callable[[], None] = lambda: None,
) -> None:
    """Ask each of (key, question) and hand every outcome to `keep(key, outcome)` as soon as it is there.

    `ask` is called in threads, `keep` and `check` in the caller's. `check` is called several times a second and stops
    everything by raising. Errors: Unusable when the endpoint refuses us or fails `give_up_after` questions in a row.
    """
    with ThreadPoolExecutor(pace.concurrency, thread_name_prefix="endpoint") as pool:
        _Drive(questions=iter(questions), ask=ask, keep=keep, pace=pace, rng=rng, pool=pool).run(check)


@dataclass(kw_only=True, slots=True)
class _Drive(Generic[K, Q, R]):
    questions: Iterator[tuple[K, Q]]
    ask: Callable[[Q], R]
    keep: Callable[[K, R | Failure], None]
    pace: Pace
    rng: np.random.Generator
    pool: ThreadPoolExecutor
    running: dict[Future[R], _Turn[K, Q]] = field(default_factory=dict)
    waiting: list[_Turn[K, Q]] = field(default_factory=list)  # a heap
    number: int = 0
    next_start: float = 0.0  # by the rate limit, and by the endpoint after a 429
    failed_in_a_row: int = 0
    may_keep: bool = True
    is_exhausted: bool = False

    def run(self, check: Callable[[], None]) -> None:
        try:
            while not self.is_exhausted or self.running or self.waiting:
                check()
                self.start_questions()
                self.collect_answers()
        except BaseException:  # also the end of the worker: what is on its way is paid for, so it is kept; raised again
            if self.may_keep:
                self.collect_rest()
            raise

    def start_questions(self) -> None:
        while len(self.running) < self.pace.concurrency and time.monotonic() >= self.next_start:
            turn = self.next_turn()
            if turn is None:
                return
            if self.pace.per_minute:
                self.next_start = time.monotonic() + 60.0 / self.pace.per_minute
            self.running[self.pool.submit(self.ask, turn.question)] = turn

    def next_turn(self) -> _Turn[K, Q] | None:
        """The question whose waiting is over, else a new one."""
        if self.waiting and self.waiting[0].due <= time.monotonic():
            return heapq.heappop(self.waiting)
        if self.is_exhausted or len(self.waiting) >= self.pace.concurrency:
            return None  # as many in trouble as may be asked at once: no new ones into the same trouble
        for key, question in self.questions:
            self.number += 1
            return _Turn(0.0, self.number, 1, key, question)
        self.is_exhausted = True
        return None

    def collect_answers(self) -> None:
        if not self.running:
            if self.waiting or not self.is_exhausted:
                time.sleep(min(TICK, max(0.0, self.earliest_start() - time.monotonic())))
            return
        pause = TICK if len(self.running) >= self.pace.concurrency else min(TICK, self.until_next_start())
        came, _ = wait(self.running, timeout=pause, return_when=FIRST_COMPLETED)
        for future in came:
            self.collect(future)

    def earliest_start(self) -> float:
        """The earliest moment at which something may be asked while no question is on its way."""
        is_held_back = len(self.waiting) >= self.pace.concurrency or self.is_exhausted
        due = self.waiting[0].due if self.waiting and is_held_back else 0.0
        return max(self.next_start, due)

    def until_next_start(self) -> float:
        """Seconds to sleep while there is room for another question; a whole tick when none is there to ask."""
        left = self.next_start - time.monotonic()
        return left if left > 0 else TICK

    def collect(self, future: Future[R]) -> None:
        turn = self.running.pop(future)
        try:
            reply = future.result()
        except Busy as busy:
            self.try_again(turn, busy)
        except Rejected as rejected:
            self.deliver(turn, Failure(rejected.reason, turn.attempt))
        else:
            self.failed_in_a_row = 0
            self.deliver(turn, reply)

    def try_again(self, turn: _Turn[K, Q], busy: Busy) -> None:
        """Put the question back, later each time; an endpoint that names a time is left alone until then."""
        now = time.monotonic()
        if busy.retry_after is not None:
            self.next_start = max(self.next_start, now + busy.retry_after)
        if turn.attempt >= self.pace.attempts:
            self.deliver(turn, Failure(busy.reason, turn.attempt))
            self.failed_in_a_row += 1
            if self.failed_in_a_row >= self.pace.give_up_after:
                raise Unusable(
                    f"{self.failed_in_a_row} questions in a row had no answer, the last because {busy.reason}"
                )
            return
        backoff = min(self.pace.longest_wait, self.pace.first_wait * 2 ** (turn.attempt - 1))
        due = now + max(backoff * self.rng.uniform(0.5, 1.0), busy.retry_after or 0.0)
        heapq.heappush(self.waiting, _Turn(due, turn.number, turn.attempt + 1, turn.key, turn.question))

    def deliver(self, turn: _Turn[K, Q], outcome: R | Failure) -> None:
        self.may_keep = False  # if keeping fails, it is not tried with the next
        self.keep(turn.key, outcome)
        self.may_keep = True

    def collect_rest(self) -> None:
        """Wait for what is on its way and keep the answers; the failures are left to another time."""
        for future in list(wait(self.running).done):
            if future.exception() is None:
                self.deliver(self.running.pop(future), future.result())
