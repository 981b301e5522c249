"""The first account of an empty Litmus: made on a page, by who can read the terminal of the server."""

import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from accounts.actions import create_user, vouch_for_address
from accounts.audit import record_event
from accounts.keys import digest_of
from accounts.models import FirstCode, User
from accounts.refusals import NotHere, Refused
from accounts.sql import execute

VALID_FOR = timedelta(minutes=15)
TRIES = 5
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # none that is taken for another one
PARTS, PART_LENGTH = 2, 5  # 50 random bits
GONE = "There is an account already. Sign in with it, or ask a manager of a collection to invite you."


def has_account() -> bool:
    return User.objects.exists()


def check_no_account() -> None:
    """Errors: NotHere once there is an account."""
    if has_account():
        raise NotHere(GONE)


@transaction.atomic
def create_first_code(*, at: datetime) -> str:
    """A new code in the place of the one before; it is stored nowhere and returned once. Errors: NotHere."""
    check_no_account()
    parts = ("".join(secrets.choice(LETTERS) for _ in range(PART_LENGTH)) for _ in range(PARTS))
    code = "-".join(parts)
    values = {"digest": _digest(code), "expires_at": at + VALID_FOR, "tries_left": TRIES}
    row, _ = FirstCode.objects.update_or_create(pk=1, defaults=values)
    record_event(by=None, at=at, verb="create_first_code", target=row)
    return code


def create_first_account(*, at: datetime, code: str, email: str, name: str, password: str) -> User:
    """The account, which is staff. Of two requests at once, one makes it.

    Errors: NotHere once there is an account; Refused for a wrong, expired or used up code, which counts as a try.
    """
    check_no_account()
    with transaction.atomic():
        execute("LOCK TABLE accounts_user IN SHARE ROW EXCLUSIVE MODE")  # also against `create_user`
        check_no_account()
        row = FirstCode.objects.select_for_update().first()
        problem = _problem(row, code, at)
        if not problem:
            FirstCode.objects.all().delete()
            user = create_user(by=None, at=at, email=email, password=password, name=name, is_staff=True)
            vouch_for_address(user)
            return user
        FirstCode.objects.filter(tries_left__gt=0).update(tries_left=F("tries_left") - 1)
    raise Refused(problem)


def announce_first_code() -> str:
    """What a server says when it starts without any account: a new code and what it is for; "" where there is one."""
    try:
        code = create_first_code(at=timezone.now())
    except NotHere:
        return ""
    return f"There is no account yet. {instructions(code)}"


def instructions(code: str) -> str:
    """How to use the code."""
    minutes = int(VALID_FOR.total_seconds() // 60)
    return (
        f"Open Litmus in a browser and create the first account with this code:\n\n  {code}\n\n"
        f"It is valid for {minutes} minutes and {TRIES} tries. {own_command('first_code')} prints a new one."
    )


WITH_DEMO = "up --demo"


def own_command(words: str) -> str:
    """A command of ours as it is typed here."""
    program = settings.PROGRAM if settings.PROGRAM == "litmus" else ".venv/bin/python manage.py"
    return f"{program} {words}"


def _digest(code: str) -> str:
    """However it was typed: with small letters, blanks or without the hyphen."""
    return digest_of("".join(char for char in code.upper() if char.isalnum()))


def _problem(row: FirstCode | None, code: str, at: datetime) -> str:
    """Why the code does not make an account now, or ""."""
    again = f"Print a new one with {own_command('first_code')}, or restart the server."
    if row is None or row.expires_at <= at:
        return f"The code is no longer valid. {again}"
    if not row.tries_left:
        return f"Too many wrong attempts with this code. {again}"
    if not constant_time_compare(row.digest, _digest(code)):
        left = row.tries_left - 1
        return (
            f"The code is wrong. {left} {'try is' if left == 1 else 'tries are'} left."
            if left
            else (f"The code is wrong, and it was the last try. {again}")
        )
    return ""
