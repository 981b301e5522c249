"""Housekeeping that beat asks for."""

from celery import shared_task
from django.core.management import call_command

from accounts.sql import execute


@shared_task
def clear_sessions() -> None:
    """Delete sessions and counts of limits that have expired."""
    call_command("clearsessions")
    execute("DELETE FROM accounts_limit WHERE expires < now()")
