"""Nobody's name goes into a release: annotators have pseudonyms, and names that people typed leave the texts."""

import hashlib
import re
from dataclasses import dataclass, field
from functools import cached_property

from django.db.models import Q

from accounts.models import User
from adjudication.models import Verdict
from annotation.models import Annotator, AnnotatorKind
from corpus.models import Collection

LENGTH = 8  # hexadecimal digits of a pseudonym
SHORTEST = 3  # a name of fewer characters would be found inside of words


@dataclass(frozen=True)
class Pseudonyms:
    """`names` are {annotator id: what is written}: people under one pseudonym in all campaigns, machines as named."""

    names: dict[int, str]
    machines: frozenset[int]
    users: dict[int, str] = field(default_factory=dict)  # {user id: pseudonym}, of members and annotators
    replaced: dict[str, str] = field(
        default_factory=dict
    )  # {name or address in lower case, or a capitalised part: what is written}

    def without_names(self, text: str) -> str:
        """The text with names and addresses of people replaced by their pseudonyms."""
        if not text or not self.replaced:
            return text
        return self._found.sub(lambda match: self._stands_for(match[0]), text)

    @cached_property
    def _found(self) -> re.Pattern[str]:
        """Names in any case, with blanks or underscores; single parts of them only where they are capitalised."""
        longest = sorted(self.replaced, key=len, reverse=True)
        whole = [re.escape(name).replace(r"\ ", "[ _]+") for name in longest if name.lower() == name]
        parts = [re.escape(name) for name in longest if name.lower() != name]
        both = [f"(?i:{'|'.join(whole)})"] + ([f"(?:{'|'.join(parts)})"] if parts else [])
        return re.compile(rf"(?<![^\W_])(?:{'|'.join(both)})(?![^\W_])")

    def _stands_for(self, found: str) -> str:
        return self.replaced.get(found) or self.replaced[" ".join(found.lower().replace("_", " ").split())]


def pseudonyms(collection: Collection, key: str) -> Pseudonyms:
    """Those of everybody in the collection. They depend on the key and the person alone: on no order, on no name's
    place in the alphabet, and they stay when more people join. The key is stored with the release, in no file.
    """
    annotators = list(Annotator.objects.filter(campaign__collection=collection).select_related("user"))
    names: dict[int, str] = {}
    replaced: dict[str, str] = {}
    for one in annotators:
        person = f"user {one.user_id}" if one.user_id else f"name {one.name}"
        human = one.kind == AnnotatorKind.HUMAN
        names[one.pk] = _pseudonym(key, person) if human else one.name
        if human:
            known = [one.name, *_known_as(one.user)]
            replaced |= _keys(known, names[one.pk])
    for user in User.objects.filter(Q(memberships__collection=collection) | Q(pk__in=_deciders(collection))).distinct():
        stands_for = _pseudonym(key, f"user {user.pk}")
        replaced |= _keys(_known_as(user), stands_for)
    machines = frozenset(one.pk for one in annotators if one.kind == AnnotatorKind.MACHINE)
    users = {pk: _pseudonym(key, f"user {pk}") for pk in _deciders(collection)}
    return Pseudonyms(names, machines, users, replaced)


def _deciders(collection: Collection) -> list[int]:
    """Ids of those who decided items by hand, members or not any more."""
    decided = Verdict.objects.filter(item__campaign__collection=collection, decided_by__isnull=False)
    return list(decided.order_by().values_list("decided_by", flat=True).distinct())


def _keys(known: list[str], pseudonym: str) -> dict[str, str]:
    """What is replaced by the pseudonym: whole names, and their parts where they are capitalised."""
    whole = [" ".join(name.lower().replace("_", " ").split()) for name in known if len(name) >= SHORTEST]
    parts = [part for name in known for part in name.split() if len(part) > SHORTEST and part.istitle()]
    return dict.fromkeys([*parts, *whole], pseudonym)


def _known_as(user: User | None) -> list[str]:
    return [] if user is None else [found for found in (user.email, user.get_full_name()) if found]


def _pseudonym(key: str, person: str) -> str:
    return "A" + hashlib.sha256(f"{key}:{person}".encode()).hexdigest()[:LENGTH]
