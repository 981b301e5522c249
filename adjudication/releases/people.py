"""Nobody's name goes into a release: annotators have pseudonyms, and names that people typed leave the texts."""

import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from django.db.models import BigIntegerField, Q, QuerySet
from django.db.models.functions import Cast

from accounts.models import AuditEvent, User
from adjudication.models import Verdict
from annotation.models import Annotator, AnnotatorKind
from corpus.models import Collection, Role

LENGTH = 8  # hexadecimal digits of a pseudonym
AUTHOR = "[author]"  # instead of the name of a maker, who may be no member
# Names that identify nobody, and that sentences of a release need.
NOBODY = {
    *Role.values,
    *("authors author annotators judges judge assessors assessor experts expert people person human humans".split()),
}
SHORTEST = 3  # a name of fewer characters would be found inside of words


@dataclass(frozen=True)
class Pseudonyms:
    """`names` are {annotator id: what is written}: people under one pseudonym in all campaigns, machines as named.

    `slugs` are {campaign id: what is written in paths}. Names of people leave both, as they leave all texts.
    """

    names: dict[int, str]
    machines: frozenset[int]
    users: dict[int, str] = field(default_factory=dict)  # {user id: pseudonym}, of members and annotators
    replaced: dict[str, str] = field(
        default_factory=dict
    )  # {name or address in lower case, or a capitalised part: what is written}
    slugs: dict[int, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)  # what `label` has answered so far

    def label(self, name: str) -> str:
        """The name of a thing without names of people; asked for millions of rows, answered once for each name."""
        if name not in self.labels:
            self.labels[name] = self.without_names(name)
        return self.labels[name]

    def without_names(self, text: str) -> str:
        """The text with names and addresses of people replaced by their pseudonyms."""
        if not text or not self.replaced:
            return text
        return self._found.sub(lambda match: self._stands_for(match[0]), text)

    def cleaned(self, found: Any) -> Any:
        """JSON with the names in its texts and keys replaced."""
        if isinstance(found, str):
            return self.without_names(found)
        if isinstance(found, dict):
            return {self.without_names(str(key)): self.cleaned(each) for key, each in found.items()}
        return [self.cleaned(each) for each in found] if isinstance(found, list) else found

    def with_stated(self, stated: Mapping[str, str]) -> "Pseudonyms":
        """Pseudonyms that also replace the names of the data statement: {name: what is written}."""
        known = {key: word for name, word in stated.items() for key in _keys([name], word, by_parts=word == AUTHOR)}
        found = replace(self, replaced=known | self.replaced, labels={})
        return replace(
            found,
            names={pk: found.without_names(name) for pk, name in self.names.items()},
            slugs=_distinct(found, self.slugs),
        )

    def fingerprint(self, key: str) -> dict[str, Any]:
        """{"rows", "hash"} of all names, keyed, so that it tells none: texts differ where it differs."""
        known = json.dumps(sorted(self.replaced.items())).encode()
        return {"rows": len(self.replaced), "hash": hmac.new(key.encode(), known, "sha256").hexdigest()[:16]}

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
    annotators = list(Annotator.objects.filter(campaign__collection=collection).order_by("pk").select_related("user"))
    people = {one.pk: _pseudonym(key, _person(one)) for one in annotators if one.kind == AnnotatorKind.HUMAN}
    replaced: dict[str, str] = {}
    for one in annotators:
        if one.pk in people:
            replaced |= _keys([one.name, *_known_as(one.user)], people[one.pk])
    former = _former_names(collection)
    for user in _people_of(collection):
        replaced |= _keys([*former.get(user.pk, ()), *_known_as(user)], _pseudonym(key, f"user {user.pk}"))
    users = {pk: _pseudonym(key, f"user {pk}") for pk in _deciders(collection)}
    found = Pseudonyms(people, frozenset(one.pk for one in annotators if one.pk not in people), users, replaced)
    machines = _distinct(found, {one.pk: one.name for one in annotators if one.pk not in people})
    slugs = collection.campaigns.order_by("pk").values_list("pk", "slug")
    return replace(found, names=people | machines, slugs=_distinct(found, dict(slugs)))


def _distinct(people: Pseudonyms, named: dict[int, str]) -> dict[int, str]:
    """The names of things without names of people. Where two become the same, the later one has its id as well."""
    found: dict[int, str] = {}
    for pk, name in named.items():
        cleaned = people.without_names(name)
        found[pk] = f"{cleaned}-{pk}" if cleaned != name and cleaned in found.values() else cleaned
    return found


def _person(one: Annotator) -> str:
    return f"user {one.user_id}" if one.user_id else f"name {one.name}"


def _people_of(collection: Collection) -> QuerySet[User]:
    """Members, former ones, and all who ever did something in the collection."""
    events = AuditEvent.objects.filter(scope_id=collection.pk).order_by()
    acted = events.filter(actor_id__isnull=False).values("actor_id")
    known = Q(memberships__collection=collection) | Q(pk__in=_deciders(collection)) | Q(pk__in=acted)
    return User.objects.filter(known | Q(pk__in=_about_people(collection).values("person"))).distinct()


def _about_people(collection: Collection) -> QuerySet[Any, Any]:
    """Events about persons, such as that somebody was added or left; `person` is the id."""
    events = AuditEvent.objects.filter(scope_id=collection.pk, target_type=User._meta.label_lower).order_by()
    return events.annotate(person=Cast("target_id", BigIntegerField()))


def _former_names(collection: Collection) -> dict[int, set[str]]:
    """{user id: names and addresses under which the collection's audit log knows the person}, also earlier ones."""
    found: dict[int, set[str]] = {}
    events = AuditEvent.objects.filter(scope_id=collection.pk, actor_id__isnull=False).order_by()
    for pk, name in [
        *events.values_list("actor_id", "actor").distinct(),
        *_about_people(collection).values_list("person", "target").distinct(),
    ]:
        found.setdefault(pk, set()).add(name)
    return found


def _deciders(collection: Collection) -> list[int]:
    """Ids of those who decided items by hand, members or not any more."""
    decided = Verdict.objects.filter(item__campaign__collection=collection, decided_by__isnull=False)
    return list(decided.order_by().values_list("decided_by", flat=True).distinct())


def _keys(known: list[str], pseudonym: str, *, by_parts: bool = True) -> dict[str, str]:
    """What is replaced by the pseudonym: whole names, and of people their parts where they are capitalised."""
    known = [name for name in known if name.lower() not in NOBODY]
    whole = [" ".join(name.lower().replace("_", " ").split()) for name in known if len(name) >= SHORTEST]
    parts = [part for name in known for part in name.split() if by_parts and len(part) > SHORTEST and part.istitle()]
    return dict.fromkeys([*parts, *whole], pseudonym)


def _known_as(user: User | None) -> list[str]:
    return [] if user is None else [found for found in (user.email, user.get_full_name()) if found]


def _pseudonym(key: str, person: str) -> str:
    return "A" + hashlib.sha256(f"{key}:{person}".encode()).hexdigest()[:LENGTH]
