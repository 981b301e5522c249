"""Keeping how somebody likes their labelling screen."""

from collections.abc import Mapping

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.refusals import Refused
from annotation.campaigns.preferences import DELAYS, KEYS, Preferences, keys_of_kinds, preferences_of, usual_keys

RESERVED_KEYS = {
    "Escape",
    "Tab",
    "ArrowUp",
    "ArrowDown",
    " ",
    "Backspace",
    "Delete",
}  # moving about, editing, scrolling


@transaction.atomic
def set_preferences(
    *, by: User, shortcuts: bool, highlights: bool, delay: int | None, keys: Mapping[str, str]
) -> Preferences:
    """Keep the person's choices; no audit event, as they concern nobody else. Errors: Refused for keys that clash."""
    check_keys(keys)
    if delay is not None and delay not in DELAYS:
        raise Refused(
            _("Choose one of these delays, in milliseconds: {delays}; or none.").format(
                delays=", ".join(map(str, DELAYS))
            )
        )
    user = User.objects.select_for_update().get(pk=by.pk)
    stored = user.preferences.get("labelling", {}).get("keys", {})
    of_kinds, usual = keys_of_kinds(), usual_keys()
    remaining = {action: key for action, key in stored.items() if action in of_kinds and action not in keys}
    changed = remaining | {action: key for action, key in keys.items() if usual[action] != key}
    labelling = {"highlights": highlights, "delay": delay, "keys": changed}
    user.preferences = {**user.preferences, "shortcuts": shortcuts, "labelling": labelling}
    user.save(update_fields=["preferences"])
    return preferences_of(user)


def check_keys(keys: Mapping[str, str]) -> None:
    """Refuse unless every action has its own key, which neither grades nor edits."""
    usual, of_kinds = usual_keys(), keys_of_kinds()
    if not set(keys) <= set(usual):
        raise Refused(_("There is no such action, so it cannot have a key."))
    # Keys that only some kinds have give way to what somebody chose on the screen of another.
    chosen = {action: key for action, key in {**usual, **keys}.items() if action in keys or action not in of_kinds}
    for action, key in chosen.items():
        if not 1 <= len(key) <= 20 or key.isdigit() or key in RESERVED_KEYS:
            raise Refused(
                _(
                    "“{key}” cannot be the key for “{action}”: digits give grades, and keys for moving and editing are "
                    "reserved."
                ).format(key=key, action={**KEYS, **of_kinds}[action].words)
            )
    if len({key.lower() for key in chosen.values()}) < len(chosen):
        raise Refused(_("Two actions have the same key. Give each its own."))
