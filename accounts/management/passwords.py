"""Passwords on the command line: read without an echo, checked by the rules of the pages."""

import getpass
import sys

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from accounts.models import User
from accounts.refusals import Refused


def read_password(from_stdin: bool, *, may_be_empty: bool = True) -> str | None:
    """The password, or None where none was given. The prompt says whether it may be left out."""
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        return None
    password = getpass.getpass(f"Password{' (empty for none)' if may_be_empty else ''}: ")
    if password and password != getpass.getpass("Repeat the password: "):
        raise Refused("The two passwords differ. Nothing was changed.")
    return password or None


def check_password(password: str, email: str, name: str) -> None:
    """Errors: Refused, with every rule that the password breaks."""
    try:
        validate_password(password, User(email=email, name=name))
    except ValidationError as error:
        raise Refused(" ".join(error.messages)) from error
