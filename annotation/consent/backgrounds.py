"""What annotators say about their background: optional, seen by nobody one by one, reported in groups alone."""

from collections import Counter
from collections.abc import Iterable, Mapping

from django.db.models import Min
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.refusals import Refused
from annotation.models import Background, Consent, Stage
from corpus.models import Collection

Said = str | int | None
LEAST = 5  # people in a group that is reported
NOT_SAID = "not said"
OTHERS = "all others"
BANDS = ((3, "under 3"), (6, "3 to 5"), (11, "6 to 10"), (21, "11 to 20"))  # years below the number
MORE_YEARS = "over 20"


def store_background(collection: Collection, user: User, said: Mapping[str, Said]) -> None:
    """Replace what the person has said; nothing is kept of somebody who says nothing. Errors: Refused."""
    values = {name: value.strip() if isinstance(value, str) else value for name, value in said.items()}
    if values.get("stage") and values["stage"] not in Stage.values:
        raise Refused(_("This is not among the answers."))
    if any(value not in ("", None) for value in values.values()):
        Background.objects.update_or_create(collection=collection, user=user, defaults=values)
    else:
        forget_background(collection, user)


def forget_background(collection: Collection, user: User) -> None:
    Background.objects.filter(collection=collection, user=user).delete()


def background_groups(collection: Collection, users: Iterable[int]) -> dict[str, dict[str, int]]:
    """{question: {answer: people}} of these people, in groups of at least LEAST; {} for a question that has none.

    Who said nothing is counted as such. No answer of fewer people can be worked out: see `anonymous_groups`. People are
    added LEAST at a time, in the order in which they first agreed, lest the numbers before and after one person show
    what that person said.
    """
    users = _whole_groups(collection, users)
    found = {each.user_id: each for each in Background.objects.filter(collection=collection, user__in=users)}
    people = [found.get(user) for user in users]
    return {
        "field": anonymous_groups(_text(one.field if one else "") for one in people),
        "stage": anonymous_groups(one.get_stage_display() if one and one.stage else NOT_SAID for one in people),
        "years in the field": anonymous_groups(_band(one.years if one else None) for one in people),
        "first language": anonymous_groups(_text(one.language if one else "") for one in people),
    }


def _whole_groups(collection: Collection, users: Iterable[int]) -> list[int]:
    """The first of these people, as many as make groups of LEAST."""
    given = Consent.objects.filter(text__collection=collection).values_list("user").annotate(first=Min("pk"))
    agreed = dict(given.order_by("first"))
    ordered = sorted(set(users), key=lambda user: (user not in agreed, agreed.get(user, user)))
    return ordered[: len(ordered) // LEAST * LEAST]


def anonymous_groups(answers: Iterable[str], least: int = LEAST) -> dict[str, int]:
    """{answer: people}, the largest first; rarer answers than `least` are counted together.

    Where those are fewer than `least` people themselves, the smallest group joins them: else they could be worked out
    from the number of people. So every number is at least `least`; {} where that leaves no answer by name.
    """
    groups = Counter(answers)
    kept = [(answer, n) for answer, n in groups.most_common() if n >= least]
    rest = sum(n for n in groups.values() if n < least)
    while 0 < rest < least and kept:
        rest += kept.pop()[1]
    if not kept:
        return {}
    return dict(kept) | ({OTHERS: rest} if rest else {})


def _text(answer: str) -> str:
    return " ".join(answer.split()).lower() or NOT_SAID


def _band(years: int | None) -> str:
    if years is None:
        return NOT_SAID
    return next((name for below, name in BANDS if years < below), MORE_YEARS)
