"""Housekeeping that beat asks for."""

from celery import shared_task
from django.core.management import call_command
from django.db import connection


@shared_task
def clear_sessions() -> None:
    """Delete sessions and counts of limits that have expired."""
    call_command("clearsessions")
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM accounts_limit WHERE expires < now()")
