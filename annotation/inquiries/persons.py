"""A person's data in this room. Their names are replaced with those of annotators; texts stay as they are."""

from typing import Any

from accounts.models import User
from annotation.models import Inquiry


def report_of(user: User) -> dict[str, Any]:
    """What the person asked, and what they answered others, oldest first."""
    fields = ("campaign__slug", "text", "asked_at", "answer", "answered_at")
    asked = Inquiry.objects.filter(annotator__user=user).order_by("pk").values_list(*fields)
    given = (
        Inquiry.objects.filter(answered_by=user).order_by("pk").values_list("campaign__slug", "answer", "answered_at")
    )
    return {
        "questions_to_managers": [
            {
                "campaign": slug,
                "text": text,
                "asked_at": at.isoformat(),
                "answer": answer,
                "answered_at": answered_at and answered_at.isoformat(),
            }
            for slug, text, at, answer, answered_at in asked.iterator()
        ],
        "answers_to_annotators": [
            {"campaign": slug, "answer": answer, "at": at.isoformat()} for slug, answer, at in given.iterator() if at
        ],
    }
