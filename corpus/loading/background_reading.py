"""Let reading go on in a thread of its own while the database works on what was read before."""

import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

_END = object()


@contextmanager
def in_background(source: Iterator[T], *, ahead: int = 2) -> Iterator[Iterator[T]]:
    """Give the items of `source`, made by another thread at most `ahead` items before they are asked for.

    What the source raises is raised where the items are taken. Leaving the block, by an exception as well, stops the
    thread before it makes another item. The source must not use the database connection of this thread.
    """
    items: queue.Queue[object] = queue.Queue(maxsize=ahead)
    stop = threading.Event()
    thread = threading.Thread(target=_fill, args=(source, items, stop), name="reader", daemon=True)
    thread.start()
    try:
        yield _drain(items)
    finally:
        stop.set()
        while thread.is_alive():  # it may be waiting for room
            _empty(items)
            thread.join(0.05)


def _fill(source: Iterator[T], items: "queue.Queue[object]", stop: threading.Event) -> None:
    try:
        for item in source:
            items.put(item)
            if stop.is_set():
                return
    except BaseException as error:  # noqa: BLE001 - handed over to the thread that takes the items
        items.put(_Raised(error))
    else:
        items.put(_END)


def _drain(items: "queue.Queue[object]") -> Iterator[T]:
    while (item := items.get()) is not _END:
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
