"""Links of this app for the palette: pages, collections, topics, documents, people."""

from collections.abc import Iterator

from django.db.models import Q
from django.urls import reverse

from accounts.models import User
from accounts.slots import tabs_for
from corpus.collections.finding import MOST_OF_A_KIND, Entry, Finder, PaletteSearch
from corpus.collections.rules import can_create_collections
from corpus.documents.finding import find_by_beginnings
from corpus.imports.registry import collection_importers
from corpus.models import Membership, Topic
from corpus.tabs import DO, DO_IN_COLLECTION
from engines.formats.registry import formats_for
from engines.text.names import document_name
from engines.text.scripts import stands_alone

OWN = (
    ("My work", "home", "judge start next todo"),
    ("Collections", "collection_list", "projects"),
    ("Profile", "account_profile", "name e-mail mail password account"),
    ("API tokens", "token_list", "key rest programs"),
    ("My data", "own_data", "privacy gdpr export personal erase"),
)
NEW_COLLECTION = ("New collection", "collection_create", "start create add project")
ALL_PEOPLE = ("All people", "person_list", "users accounts")
BRINGING = "upload bring in load read file"
SHORTEST = 2  # characters from which topics, documents and people are looked for, where one is no word


def find_pages(search: PaletteSearch) -> Iterator[Entry]:
    """Pages of the present collection, or of all by the other words for them; then those of everybody."""
    if search.here:
        slug, role = search.here.collection.slug, search.here.role
        overview = Entry("Overview", reverse("collection_dashboard", args=[slug]), "", "counts")
        yield from [overview] * search.matches(overview.label, overview.also)
        bars = (
            ("collection", "questions") if any(tab.key == "questions" for tab in tabs_for("collection", role)) else ()
        )
        for tab in (tab for bar in bars or ("collection",) for tab in tabs_for(bar, role)):
            if search.matches(tab.label, tab.group, tab.also):
                yield Entry(tab.label, tab.href(slug), tab.group, tab.also)
    own = OWN + ((NEW_COLLECTION,) if search.words and can_create_collections(search.user) else ())
    own += (ALL_PEOPLE,) if search.user.is_staff else ()
    yield from (Entry(label, reverse(name), "", also) for label, name, also in own if search.matches(label, also))
    for bar in ("help", "help pages", *(["operator"] if search.user.is_staff else [])):
        tabs = (tab for tab in tabs_for(bar, "") if search.matches(tab.label, bar, tab.also))
        yield from (Entry(tab.label, tab.href(), "", tab.also) for tab in tabs)
    if search.words and not search.here:
        for each in search.places:
            tabs = (tab for tab in tabs_for("collection", each.role) if tab.also and search.matches(tab.also))
            slug = each.collection.slug
            yield from (Entry(tab.label, tab.href(slug), str(each.collection), tab.also) for tab in tabs)


def find_deeds(search: PaletteSearch) -> Iterator[Entry]:
    """What the person may do: in the present collection or in all of theirs, and with their own account."""
    if not search.words:
        return
    for each in search.managed:
        for tab in tabs_for(DO_IN_COLLECTION, each.role, each.collection):
            if search.matches(tab.label, tab.also):
                hint = search.hint_of(each.collection_id)
                yield Entry(tab.label, tab.href(each.collection.slug), hint, tab.also)
    for tab in tabs_for(DO, ""):
        if search.matches(tab.label, tab.also):
            yield Entry(tab.label, tab.href(), "", tab.also)


def find_imports(search: PaletteSearch) -> Iterator[Entry]:
    """The import pages of each format, or of what is imported; for managers."""
    for each in search.managed if search.words else ():
        slug, hint = each.collection.slug, search.hint_of(each.collection_id)
        for importer in collection_importers().values():
            address = reverse("import_create", args=[slug, importer.name])
            words = f"{importer.label} {BRINGING}"
            if search.matches(importer.title, words):
                yield Entry(importer.title, address, hint, words)
                continue
            for one in formats_for(importer.name):
                also = f"{one.name} {one.label} {words}".casefold()
                if search.matches(importer.title, also):
                    yield Entry(importer.title, f"{address}?format={one.name}", _hint(one.label, hint), also)


def find_collections(search: PaletteSearch) -> Iterator[Entry]:
    """The person's collections, except the one they are in."""
    for each in search.memberships:
        if each != search.here and search.matches(each.collection.title, each.collection.slug):
            address = reverse("collection_dashboard", args=[each.collection.slug])
            yield Entry(str(each.collection), address, each.get_role_display())


def find_topics(search: PaletteSearch) -> Iterator[Entry]:
    """Topics of this number, then those with every word; all members may read them."""
    if _is_too_short(search) and not search.text.isdigit():
        return
    inside = Topic.objects.filter(collection__in=[each.collection_id for each in search.places])
    numbered = list(inside.filter(number=search.text).select_related("collection")[:MOST_OF_A_KIND])
    worded = (
        inside.filter(_all_words(search, "title", "text", "number"))
        .exclude(pk__in=[each.pk for each in numbered])
        .select_related("collection")
    )
    for topic in numbered + list(worded.order_by("position", "pk")[:MOST_OF_A_KIND]):
        address = reverse("topic_detail", args=[topic.collection.slug, topic.pk])
        yield Entry(topic.title or topic.text[:120], address, _hint(topic.number, search.hint_of(topic.collection_id)))


def find_documents(search: PaletteSearch) -> Iterator[Entry]:
    """Documents whose docno begins with the text, then those with its words; all members may read them."""
    if _is_too_short(search):
        return
    collections = {each.collection_id: each.collection for each in search.places}
    for each in find_by_beginnings(list(collections), search.text, most=MOST_OF_A_KIND):
        address = reverse("document_detail", args=[collections[each.collection_id].slug, each.docno])
        name = document_name(each.title, each.abstract, each.docno)
        yield Entry(name, address, _hint(each.docno, search.hint_of(each.collection_id)))


def find_people(search: PaletteSearch) -> Iterator[Entry]:
    """Members of collections whose people the person may see, on the page of people; for staff everybody."""
    if _is_too_short(search):
        return
    named = _all_words(search, "user__name", "user__email")
    members = Membership.objects.filter(named, collection__in=[each.collection_id for each in search.overseen])
    rows = members.select_related("user", "collection").order_by("user__name", "pk")[:MOST_OF_A_KIND]
    for each in rows:
        address = f"{reverse('member_list', args=[each.collection.slug])}#member-{each.pk}"
        yield Entry(str(each.user), address, _hint(each.get_role_display(), search.hint_of(each.collection_id)))
    if search.user.is_staff:
        everybody = User.objects.filter(_all_words(search, "name", "email"))
        for person in everybody.order_by("name", "pk")[:MOST_OF_A_KIND]:
            yield Entry(str(person), reverse("person_detail", args=[person.pk]), person.email)


def _is_too_short(search: PaletteSearch) -> bool:
    return len(search.text) < SHORTEST and not stands_alone(search.text)


def _all_words(search: PaletteSearch, *fields: str) -> Q:
    """Rows that have each word of the search in one of the fields."""
    found = Q()
    for word in search.words:
        found &= Q(*((f"{name}__icontains", word) for name in fields), _connector=Q.OR)
    return found


def _hint(*parts: str) -> str:
    return " · ".join(part for part in parts if part)


FINDERS = (
    Finder(8, "Do", find_deeds),
    Finder(10, "Pages", find_pages),
    Finder(24, "Import", find_imports),
    Finder(30, "Topics", find_topics),
    Finder(40, "Documents", find_documents),
    Finder(50, "People", find_people),
    Finder(60, "Collections", find_collections),
)
