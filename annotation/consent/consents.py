"""What a collection asks its annotators to agree to: its text, who agreed, and who withdrew."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Conflict, NotAllowed, Refused
from annotation.assignment.assignments import release
from annotation.consent.backgrounds import Said, forget_background, store_background
from annotation.consent.pseudonyms import leave_out_labels, lock_campaigns, pseudonymise
from annotation.models import (
    AfterWithdrawal,
    Annotator,
    AnnotatorState,
    Asked,
    Assignment,
    AssignmentState,
    Consent,
    ConsentText,
)
from corpus.collections.collections import pseudonym_of
from corpus.collections.rules import check_manager, check_not_archived
from corpus.models import Collection, Membership


@dataclass(frozen=True, slots=True)
class Standing:
    """One person's consent in a collection: `text` is the newest one that asks for something, None where none does;
    `given` is their consent to it; `withdrew_at` where they withdrew and were not added again."""

    text: ConsentText | None
    given: Consent | None
    withdrew_at: datetime | None

    @property
    def is_missing(self) -> bool:
        return self.text is not None and self.given is None


def newest_text(collection: Collection | int) -> ConsentText | None:
    """The version that is asked for now, or None."""
    found = ConsentText.objects.filter(collection=collection).first()
    return found if found and found.body else None


def standing_of(user: User, collection: Collection) -> Standing:
    """What the person is asked for, and what they answered."""
    text = newest_text(collection)
    given = Consent.objects.filter(text=text, user=user, withdrawn_at=None).first() if text else None
    places = Annotator.objects.filter(campaign__collection=collection, user=user)
    return Standing(text, given, places.aggregate(last=Max("withdrew_at"))["last"])


@transaction.atomic
def set_consent_text(
    *,
    collection: Collection,
    text: str,
    after_withdrawal: str,
    asks_background: bool,
    by: User | None,
    at: datetime,
) -> ConsentText:
    """Ask everybody to agree to this text before they judge on; an empty one ends it. A change is a new version, to
    which all agree again. Errors: Refused where there is nothing to end."""
    check_manager(collection, by)
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)  # one version after the other
    before = ConsentText.objects.filter(collection=collection).first()
    body = text.strip()
    if not body and (before is None or not before.body):
        raise Refused("Write the text that people agree to. There is none that could be ended.")
    wanted = {"body": body, "after_withdrawal": after_withdrawal, "asks_background": asks_background}
    if before is not None and all(getattr(before, name) == value for name, value in wanted.items()):
        return before
    version = before.version + 1 if before else 1
    made = ConsentText.objects.create(collection=collection, version=version, created_at=at, created_by=by, **wanted)
    facts = {"after_withdrawal": after_withdrawal, "asks_background": asks_background, "is_asked": bool(body)}
    record_event(by=by, at=at, verb="set_consent_text", target=made, scope=collection, version=version, **facts)
    return made


@transaction.atomic
def give_consent(*, collection: Collection, version: int, by: User | None, at: datetime, **said: Said) -> Consent:
    """Agree to the newest text, or store another answer to the questions about one's background.

    `said` is what the person says of themselves; all of it may be empty. Errors: NotAllowed for people who are no
    members, Refused where nothing is asked for, Conflict where another version is.
    """
    person = _member(collection, by)
    text = newest_text(collection)
    if text is None:
        raise Refused(_("This collection asks for no consent."))
    if version != text.version:
        raise Conflict(
            _("The text has changed: it is version {version} now. Read it, then agree to it.").format(
                version=text.version
            )
        )
    given, is_new = Consent.objects.get_or_create(text=text, user=person, withdrawn_at=None, defaults={"agreed_at": at})
    if is_new:
        record_event(by=by, at=at, verb="give_consent", target=text, scope=collection, version=version)
    if text.asks_background:
        store_background(collection, person, said)
    return given


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """What became of somebody's labels: the name under which they are stored, and whether they still count."""

    pseudonym: str
    is_left_out: bool


@transaction.atomic
def withdraw_consent(*, collection: Collection, by: User | None, at: datetime) -> Withdrawal:
    """Stop judging in the collection at once. What the text that the person agreed to last says of their labels is
    done: they stay under a pseudonym, or are left out from then on. Frozen releases stay as they are.

    Who has not agreed yet may withdraw too, by what the newest text says; who has left the collection, and from an
    archive, as well. While votes are counted, the labels wait for `settle_withdrawals`.
    Errors: NotAllowed for people who never took part, Refused where the collection has never asked.
    """
    person = _participant(collection, by)
    Consent.objects.filter(text__collection=collection, user=person, withdrawn_at=None).update(withdrawn_at=at)
    text = _text_left(collection, person, at)
    if text is None:
        raise Refused(_("This collection has never asked for consent. Ask a manager to remove you from its campaigns."))
    forget_background(collection, person)
    mine = Annotator.objects.filter(campaign__in=collection.campaigns.all(), user=person).order_by("pk")
    for annotator in mine.select_for_update(no_key=True):
        release(annotator)
    mine.update(state=AnnotatorState.REMOVED, withdrew_at=at)
    leaves_out = text.after_withdrawal == AfterWithdrawal.LEAVE_OUT
    labels = "left out" if leaves_out else "kept"
    record_event(by=by, at=at, verb="withdraw_consent", target=text, scope=collection, labels=labels)
    _settle(mine, person, at, leaves_out=leaves_out)
    return Withdrawal(pseudonym_of(person)[0], leaves_out)


def settle_withdrawals() -> None:
    """Do to labels what a withdrawal asks for, where a count of votes kept it waiting; what is still counted waits
    on."""
    left = Annotator.objects.filter(withdrew_at__isnull=False, user__isnull=False)
    for one in left.select_related("user", "campaign__collection"):
        person, at = one.user, one.withdrew_at
        if person is None or at is None or one.name == pseudonym_of(person)[0]:
            continue
        with transaction.atomic():
            mine = Annotator.objects.filter(pk=one.pk, withdrew_at=at)
            text = _text_left(one.campaign.collection, person, at)
            list(mine.select_for_update(no_key=True))
            is_left_out = text is not None and text.after_withdrawal == AfterWithdrawal.LEAVE_OUT
            _settle(mine, person, at, leaves_out=is_left_out)


def _text_left(collection: Collection, person: User, at: datetime) -> ConsentText | None:
    """The text that the person left at that moment: the newest one they had agreed to, else the newest."""
    texts = ConsentText.objects.filter(collection=collection, created_at__lte=at)
    return texts.filter(consents__user=person, consents__withdrawn_at=at).first() or texts.first()


def _settle(mine: QuerySet[Annotator], person: User, at: datetime, *, leaves_out: bool) -> None:
    """Rename these locked annotators and leave out their labels if so; not while one of their campaigns is counted."""
    if lock_campaigns(mine, waits=False) and mine.exists():
        if leaves_out:
            leave_out_labels(mine, at)
        pseudonymise(mine, {str(person)}, person.email, pseudonym_of(person)[0])


def _participant(collection: Collection, by: User | None) -> User:
    """Who judges or judged in the collection, agreed to its text, or is a member."""
    if by is None or not took_part(by).filter(pk=collection.pk).exists():
        raise NotAllowed(_("You have never taken part in {collection}.").format(collection=collection))
    return by


def took_part(user: User) -> QuerySet[Collection]:
    """The collections that the person is a member of, agreed to judge in, or judged in."""
    judged, agreed = user.annotators.values("campaign__collection"), user.consents.values("text__collection")
    return Collection.objects.filter(Q(pk__in=judged) | Q(pk__in=agreed) | Q(memberships__user=user)).distinct()


def can_withdraw_from(user: User) -> QuerySet[Collection]:
    """Collections that ask or asked for consent, and from which the person has not withdrawn."""
    agreed = user.consents.filter(withdrawn_at=None).values("text__collection")
    judging = user.annotators.filter(withdrew_at=None, campaign__collection__consent_texts__isnull=False)
    found = Q(pk__in=agreed) | Q(pk__in=judging.values("campaign__collection"))
    return Collection.objects.filter(found).order_by("title", "pk")


def _member(collection: Collection, by: User | None) -> User:
    """Only people agree, and only for themselves."""
    if by is None or not Membership.objects.filter(collection=collection, user=by).exists():
        raise NotAllowed(_("You are not a member of {collection}.").format(collection=collection))
    check_not_archived(collection)
    return by


@dataclass(frozen=True, slots=True)
class Row:
    """One person who judges, or did, in a collection that asks for consent: a name, and the newest version they agreed
    to (None: to none) with the time. `withdrew_at` where they withdrew."""

    name: str
    version: int | None
    agreed_at: datetime | None
    withdrew_at: datetime | None


def consent_rows(collection: Collection) -> list[Row]:
    """A row for everybody with an account among the annotators of the collection's campaigns, by name."""
    people: dict[int, Annotator] = {}
    for one in Annotator.objects.filter(campaign__collection=collection, user__isnull=False).order_by("pk"):
        people[one.user_id] = one  # type: ignore[index]
    given: dict[int, Consent] = {}
    consents = Consent.objects.filter(text__collection=collection, user__in=people).select_related("text")
    for each in consents.order_by("agreed_at", "pk"):
        given[each.user_id] = each
    rows = []
    for user, annotator in people.items():
        last = given.get(user)
        version, agreed = (last.text.version, last.agreed_at) if last else (None, None)
        rows.append(
            Row(annotator.name, version, agreed, annotator.withdrew_at or (last.withdrawn_at if last else None))
        )
    return sorted(rows, key=lambda row: row.name.casefold())


@dataclass(frozen=True, slots=True)
class ConsentCounts:
    """Of the people whose work counts in some campaigns, `users` have an account: how many agreed to each version
    ({version: people}), of whom `withdrew` did so later and left their labels. `without_account` were not asked."""

    users: frozenset[int]
    agreed: dict[int, int]
    withdrew: int
    without_account: int


def count_consents(collection: Collection, campaigns: Iterable[int]) -> ConsentCounts:
    """Each person counts once, by the newest version they agreed to."""
    labelled = Assignment.objects.filter(annotator=OuterRef("pk"), state=AssignmentState.DONE, repeat=Asked.TO_JUDGE)
    judging = Annotator.objects.filter(Exists(labelled), campaign__in=list(campaigns), kind="human")
    users = set(judging.filter(user__isnull=False).values_list("user", flat=True))
    given = Consent.objects.filter(text__collection=collection, user__in=users).order_by("agreed_at", "pk")
    newest = {each.user_id: each for each in given.select_related("text")}
    versions = [each.text.version for each in newest.values()]
    return ConsentCounts(
        users=frozenset(users),
        agreed={version: versions.count(version) for version in sorted(set(versions))},
        withdrew=sum(each.withdrawn_at is not None for each in newest.values()),
        without_account=judging.filter(user__isnull=True).values("name").distinct().count(),
    )
