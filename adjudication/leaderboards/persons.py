"""A person's runs on leaderboards: what Litmus knows of them, and without their name."""

from datetime import datetime
from typing import Any

from accounts.models import User
from adjudication.models import LeaderboardEntry
from adjudication.models.leaderboards import LONGEST_ABOUT


def report_of(user: User) -> dict[str, Any]:
    """The runs that the person had scored, oldest first."""
    fields = ("leaderboard__collection__slug", "name", "team", "about", "submitted_at", "withdrawn_at")
    runs = LeaderboardEntry.objects.filter(submitted_by=user).order_by("pk").values_list(*fields)
    return {
        "leaderboard_runs": [
            {
                "collection": slug,
                "name": name,
                "team": team,
                "about": about,
                "at": at.isoformat(),
                "withdrawn": withdrawn_at is not None,
            }
            for slug, name, team, about, at, withdrawn_at in runs
        ]
    }


def erase(user: User, name: str, pseudonym: str, _keep_labels: bool, _at: datetime) -> None:
    """Everybody reads leaderboards: where a name or team was given stands the pseudonym, also in the description."""
    for entry in LeaderboardEntry.objects.filter(submitted_by=user):
        entry.team = pseudonym if entry.team else ""
        entry.about = entry.about.replace(name, pseudonym)[:LONGEST_ABOUT] if name else entry.about
        entry.save(update_fields=["team", "about"])
