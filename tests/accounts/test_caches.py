"""The cache in Redis: one client for all questions, whatever happens to processes and connections."""

import os
import threading
import warnings

from accounts.caches import volatile


def test_one_client_serves_threads_forked_processes_and_connections_that_were_lost():
    volatile.set("tea", "green", 60)
    client = volatile._cache.get_client()
    assert volatile._cache.get_client("tea", write=True) is client
    answers: list[object] = []

    def ask() -> None:
        answers.extend(client.exists("nothing") for _ in range(50))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [0] * 400

    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        child = os.fork()
    if child == 0:
        os._exit(0 if volatile.get("tea") == "green" else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert volatile.get("tea") == "green"

    for connection in client.client_list():
        if connection["db"] == str(client.get_connection_kwargs()["db"]):
            client.client_kill_filter(_id=connection["id"], skipme=True)
    assert volatile.get("tea") == "green"
    volatile.delete("tea")


def test_what_another_version_has_kept_is_not_read():
    volatile.set("tea", "green", 60, version="0.0.1")
    assert volatile.get("tea") is None
    volatile.delete("tea", version="0.0.1")


def test_what_code_has_kept_that_is_gone_counts_as_nothing():
    client = volatile._cache.get_client()
    for kept in (b"cgone.stats\nAgreement\n.", b"cdatetime\nGone\n.", b"no pickle"):
        client.set(volatile.make_and_validate_key("tea"), kept, ex=60)
        assert volatile.get("tea", "none") == "none"
        assert volatile.get_many(["tea"]) == {}
    volatile.set("tea", "green", 60)
    assert volatile.get("tea") == "green"
    volatile.delete("tea")
