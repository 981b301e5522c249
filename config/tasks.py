"""Housekeeping that beat asks for."""

from celery import shared_task
from django.core.management import call_command


@shared_task
def clear_sessions() -> None:
    """Delete sessions that have expired."""
    call_command("clearsessions")
