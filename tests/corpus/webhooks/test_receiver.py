"""The receiver of docs/how-to/webhooks.md runs as printed, and takes what Litmus sends."""

import sys
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest

from accounts.sealing import sealed
from corpus.webhooks.changes import ping_webhook
from corpus.webhooks.delivering import deliver
from corpus.webhooks.signing import new_secret
from tests.factories.accounts import AT
from tests.factories.webhooks import DeliveryFactory, WebhookFactory
from tests.printed import ROOT, Document
from tests.processes import Child, free_port, wait_for

PAGE = Path("docs/how-to/webhooks.md")


@pytest.mark.django_db(transaction=True)
def test_the_receiver_of_the_page(tmp_path: Path, settings: Any) -> None:
    settings.INNER_ADDRESSES = (ip_network("127.0.0.1/32"),)
    blocks = Document(PAGE, (ROOT / PAGE).read_text("utf-8")).blocks
    [code] = ["\n".join(each.lines) for each in blocks if each.language == "python"]
    secret, port = new_secret(), free_port()
    (tmp_path / "receiver.py").write_text(code.replace("9000", str(port)))
    webhook = WebhookFactory(address=f"http://127.0.0.1:{port}/", sealed_secret=sealed(secret))
    environment = {"WEBHOOK_SECRET": secret, "PYTHONUNBUFFERED": "1"}
    receiver = Child([sys.executable, str(tmp_path / "receiver.py")], tmp_path / "log", environment)
    try:
        wait_for(lambda: "listens" if _is_open(port) else "", what="the receiver")
        assert ping_webhook(by=None, at=AT, webhook=webhook).status == 204
        twice = DeliveryFactory(webhook=webhook, state="waiting", due_at=AT)
        for _ in range(2):
            deliver(webhook.pk)
            type(twice).objects.filter(pk=twice.pk).update(state="waiting", due_at=AT)
        webhook.sealed_secret = sealed(new_secret())
        webhook.save()
        assert ping_webhook(by=None, at=AT, webhook=webhook).status == 401
    finally:
        receiver.kill()
    lines = [line for line in receiver.output.splitlines() if line.startswith(("ping", "job"))]
    assert lines == [f"ping {{'collection': '{webhook.collection.slug}'}}", "job.done {'job': 1}"]


def _is_open(port: int) -> bool:
    import socket

    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0
