"""Sessions: Django's own table and signed contents, read by one prepared statement.

Every request reads its session first, so this is on the path of every judgment, where Django's model would cost more
than the rest of the statement. Everything that writes, ends or clears sessions is Django's.
"""

from typing import Any

from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import VALID_KEY_CHARS
from django.utils import timezone

from accounts.prepared_statements import run

LOAD = "SELECT session_data FROM django_session WHERE session_key = %(key)s AND expire_date > %(now)s"
KEY_LENGTH = 32  # as Django makes them
_KEY_CHARS = frozenset(VALID_KEY_CHARS)


class SessionStore(db.SessionStore):
    """Named as Django's own, because the name is part of what the contents are signed with."""

    def load(self) -> dict[str, Any]:
        """The contents, or {} where there is no such session now; then the key is forgotten, and never taken over."""
        key = self.session_key or ""
        rows = run(LOAD, {"key": key, "now": timezone.now()}) if is_key(key) else []
        if not rows:
            self._session_key = None
            return {}
        return self.decode(rows[0].session_data)


def is_key(text: str) -> bool:
    """Whether a cookie can be the key of a session: what cannot is not worth asking the database for."""
    return len(text) == KEY_LENGTH and _KEY_CHARS.issuperset(text)
