"""Who sets up model endpoints."""

from accounts.models import User
from accounts.refusals import NotAllowed


def check_staff(by: User | None) -> None:
    """Staff, and the command line (None): endpoints cost money, and their keys belong to the whole installation."""
    if by is not None and not by.is_staff:
        raise NotAllowed("Only staff, the people who run this Litmus, can see and set up model endpoints.")
