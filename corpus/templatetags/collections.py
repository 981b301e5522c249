"""The tabs of a collection: each role sees those it may open."""

from dataclasses import dataclass

from django import template
from django.urls import reverse

from corpus.models import Membership, Role
from corpus.permissions import OVERSEERS

register = template.Library()

EVERYBODY = tuple(Role)
MANAGERS = (Role.MANAGER,)
TABS = (
    ("overview", "Overview", "collection_dashboard", EVERYBODY),
    ("documents", "Documents", "document_list", EVERYBODY),
    ("topics", "Topics", "topic_list", EVERYBODY),
    ("questions", "Questions", "mention_list", OVERSEERS),
    ("papers", "Papers", "paper_list", OVERSEERS),
    ("campaigns", "Campaigns", "campaign_list", EVERYBODY),
    ("runs", "Runs", "run_list", OVERSEERS),
    ("pools", "Pools", "pool_list", OVERSEERS),
    ("exports", "Exports", "export_list", OVERSEERS),
    ("people", "People", "member_list", OVERSEERS),
    ("imports", "Imports", "import_list", MANAGERS),
    ("audit", "Audit", "audit_list", MANAGERS),
    ("settings", "Settings", "collection_edit", MANAGERS),
)


@dataclass(frozen=True)
class Tab:
    key: str
    label: str
    href: str


@register.inclusion_tag("corpus/_collection_tabs.html")
def collection_tabs(membership: Membership, current: str = "") -> dict[str, object]:
    """The tabs this member may open; `current` is the key of the one the page belongs to."""
    slug = membership.collection.slug
    tabs = [Tab(key, label, reverse(name, args=[slug])) for key, label, name, roles in TABS if membership.role in roles]
    return {"tabs": tabs, "current": current}
