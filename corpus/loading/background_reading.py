"""Let reading go on in a separate thread while the database works on what was read before."""

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")
Check = Callable[[], None]

LOOK_EVERY = 0.2  # seconds between two looks at whether the work was cancelled
_END = object()


class Stopped(Exception):
    """Nobody takes the items any longer."""


@contextmanager
def in_background(
    source: Callable[[Check], Iterator[T]], check: Check = lambda: None, *, ahead: int = 2
) -> Iterator[Iterator[T]]:
    """Give the items of `source`, made by another thread at most `ahead` items before they are asked for.

    `source` gets a check, which it calls several times a second while it waits: leaving the block, by an exception as
    well, makes it raise `Stopped`. `check` is called in this thread while no item is there, and may raise. What the
    source raises is raised where the items are taken. The source must not use the database connection of this thread.
    """
    items: queue.Queue[object] = queue.Queue(maxsize=ahead)
    stop = threading.Event()
    thread = threading.Thread(target=_fill, args=(source, items, stop), name="reader", daemon=True)
    thread.start()
    try:
        yield _drain(items, check)
    finally:
        stop.set()
        while thread.is_alive():  # it may be waiting for room
            _empty(items)
            thread.join(0.05)


def _fill(source: Callable[[Check], Iterator[T]], items: "queue.Queue[object]", stop: threading.Event) -> None:
    def check() -> None:
        if stop.is_set():
            raise Stopped

    try:
        for item in source(check):
            items.put(item)
            check()
    except Stopped:
        return
    except BaseException as error:  # noqa: BLE001 - handed over to the thread that takes the items
        items.put(_Raised(error))
    else:
        items.put(_END)


def _drain(items: "queue.Queue[object]", check: Check) -> Iterator[T]:
    while True:
        try:
            item = items.get(timeout=LOOK_EVERY)
        except queue.Empty:
            check()
            continue
        if item is _END:
            return
        if isinstance(item, _Raised):
            raise item.error
        yield item  # type: ignore[misc]


def _empty(items: "queue.Queue[object]") -> None:
    while True:
        try:
            items.get_nowait()
        except queue.Empty:
            return


class _Raised:
    def __init__(self, error: BaseException) -> None:
        self.error = error
