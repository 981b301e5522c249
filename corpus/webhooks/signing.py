"""Secrets of webhooks, and the headers of a message signed with them as Standard Webhooks asks for."""

import base64
import secrets
from datetime import UTC, datetime

from accounts.sealing import unsealed
from corpus.models import WebhookDelivery

BYTES = 32  # of a secret; the specification asks for 24 to 64


def new_secret() -> str:
    """A secret, to be shown once and then kept sealed."""
    return f"whsec_{base64.b64encode(secrets.token_bytes(BYTES)).decode()}"


def new_message() -> str:
    """The id of a message, which stays the same however often it is sent."""
    return f"msg_{secrets.token_hex(16)}"


def signed_headers(delivery: WebhookDelivery, at: datetime) -> dict[str, str]:
    """Id, time of the attempt, and a signature by each secret that is valid then. Errors: Refused, see `unsealed`."""
    import standardwebhooks  # loaded only where something is sent

    moment = at.astimezone(UTC)
    signatures = (
        standardwebhooks.Webhook(unsealed(sealed)).sign(delivery.message, moment, delivery.payload)
        for sealed in delivery.webhook.secrets_at(at)
    )
    return {
        "Content-Type": "application/json",
        "User-Agent": "Litmus",
        "webhook-id": delivery.message,
        "webhook-timestamp": str(int(moment.timestamp())),
        "webhook-signature": " ".join(signatures),
    }
