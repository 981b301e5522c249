"""What the palette finds of this app: pages, collections, topics, documents, people."""

from collections.abc import Iterator

from django.db.models import Q
from django.urls import reverse

from accounts.models import User
from accounts.slots import tabs_for
from corpus.collections.finding import MOST_OF_A_KIND, Entry, Finder, Wish
from corpus.collections.rules import can_create_collections
from corpus.documents.reads import find_by_beginnings
from corpus.models import Membership, Topic
from corpus.text.names import document_name

SHORTEST = 2  # characters from which topics, documents and people are looked for


def find_pages(wish: Wish) -> Iterator[Entry]:
    """Pages of the collection one is in, by the name of the page or of its group; then those of everybody."""
    if wish.here:
        slug = wish.here.collection.slug
        overview = [("Overview", "", reverse("collection_dashboard", args=[slug]))]
        tabs = [(tab.label, tab.group, tab.href(slug)) for tab in tabs_for("collection", wish.here.role)]
        if any(tab.key == "questions" for tab in tabs_for("collection", wish.here.role)):
            tabs += [(tab.label, "Questions", tab.href(slug)) for tab in tabs_for("questions", wish.here.role)]
        yield from (
            Entry(label, address, group) for label, group, address in overview + tabs if wish.fits(label, group)
        )
    own = [("My work", "home"), ("Collections", "collection_list"), ("Profile", "account_profile")]
    own += [("API tokens", "token_list"), ("My data", "own_data")]
    if wish.words and can_create_collections(wish.user):
        own.append(("New collection", "collection_create"))
    if wish.user.is_staff:
        own.append(("All people", "person_list"))
    yield from (Entry(label, reverse(name)) for label, name in own if wish.fits(label))
    for bar in ("help", "help pages", *(["operator"] if wish.user.is_staff else [])):
        yield from (Entry(tab.label, tab.href()) for tab in tabs_for(bar, "") if wish.fits(tab.label, bar))


def find_collections(wish: Wish) -> Iterator[Entry]:
    """The person's collections, except the one they are in."""
    for each in wish.memberships:
        if each != wish.here and wish.fits(each.collection.title, each.collection.slug):
            address = reverse("collection_dashboard", args=[each.collection.slug])
            yield Entry(str(each.collection), address, each.get_role_display())


def find_topics(wish: Wish) -> Iterator[Entry]:
    """Topics of this number, then those with every word; all members may read them."""
    if len(wish.text) < SHORTEST and not wish.text.isdigit():
        return
    words = Q()
    for word in wish.words:
        words &= Q(title__icontains=word) | Q(text__icontains=word) | Q(number__icontains=word)
    inside = Topic.objects.filter(collection__in=[each.collection_id for each in wish.searched])
    numbered = list(inside.filter(number=wish.text).select_related("collection")[:MOST_OF_A_KIND])
    worded = inside.filter(words).exclude(pk__in=[each.pk for each in numbered]).select_related("collection")
    for topic in numbered + list(worded.order_by("position", "pk")[:MOST_OF_A_KIND]):
        address = reverse("topic_detail", args=[topic.collection.slug, topic.pk])
        yield Entry(topic.title or topic.text[:120], address, _hint(topic.number, wish.hint_of(topic.collection_id)))


def find_documents(wish: Wish) -> Iterator[Entry]:
    """Documents whose docno begins so, then those with words that begin so; all members may read them."""
    if len(wish.text) < SHORTEST:
        return
    collections = {each.collection_id: each.collection for each in wish.searched}
    for each in find_by_beginnings(list(collections), wish.text, most=MOST_OF_A_KIND):
        address = reverse("document_detail", args=[collections[each.collection_id].slug, each.docno])
        name = document_name(each.title, each.abstract, each.docno)
        yield Entry(name, address, _hint(each.docno, wish.hint_of(each.collection_id)))


def find_people(wish: Wish) -> Iterator[Entry]:
    """Members of collections whose people one may see, on the page of people; for staff everybody."""
    if len(wish.text) < SHORTEST:
        return
    named = Q()
    for word in wish.words:
        named &= Q(user__name__icontains=word) | Q(user__email__icontains=word)
    members = Membership.objects.filter(named, collection__in=[each.collection_id for each in wish.overseen])
    rows = members.select_related("user", "collection").order_by("user__name", "pk")[:MOST_OF_A_KIND]
    for each in rows:
        address = f"{reverse('member_list', args=[each.collection.slug])}#member-{each.pk}"
        yield Entry(str(each.user), address, _hint(each.get_role_display(), wish.hint_of(each.collection_id)))
    if wish.user.is_staff:
        yield from _find_persons(wish)


def _find_persons(wish: Wish) -> Iterator[Entry]:
    named = Q()
    for word in wish.words:
        named &= Q(name__icontains=word) | Q(email__icontains=word)
    for person in User.objects.filter(named).order_by("name", "pk")[:MOST_OF_A_KIND]:
        yield Entry(str(person), reverse("person_detail", args=[person.pk]), person.email)


def _hint(*parts: str) -> str:
    return " · ".join(part for part in parts if part)


FINDERS = (
    Finder(10, "Pages", find_pages),
    Finder(30, "Topics", find_topics),
    Finder(40, "Documents", find_documents),
    Finder(50, "People", find_people),
    Finder(60, "Collections", find_collections),
)
