"""A person's data in this room."""

from datetime import datetime
from typing import Any

from accounts.models import User
from annotation.models import Background, Consent


def report_of(user: User) -> dict[str, Any]:
    """What the person agreed to and when, and what they said of their background."""
    given = Consent.objects.filter(user=user).order_by("pk")
    return {
        "consents": [
            {
                "collection": slug,
                "version": version,
                "agreed_at": at.isoformat(),
                "withdrawn_at": until and until.isoformat(),
            }
            for slug, version, at, until in given.values_list(
                "text__collection__slug", "text__version", "agreed_at", "withdrawn_at"
            )
        ],
        "backgrounds": list(
            Background.objects.filter(user=user).values("collection__slug", "field", "stage", "years", "language")
        ),
    }


def erase(user: User, _name: str, _pseudonym: str, _keep_labels: bool, _at: datetime) -> None:
    """What they said of their background goes; that they agreed stays, under the pseudonym of the account."""
    Background.objects.filter(user=user).delete()
