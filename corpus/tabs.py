"""The pages of this app that stand in bars of tabs. Places leave room for those of apps above."""

from accounts.slots import Tab
from corpus.collections.rules import OVERSEERS
from corpus.models import Role

MANAGERS = (Role.MANAGER,)

TABS = (
    Tab("collection", 10, "overview", "Overview", "collection_dashboard"),
    Tab("collection", 20, "documents", "Documents", "document_list"),
    Tab("collection", 30, "topics", "Topics", "topic_list"),
    Tab("collection", 40, "questions", "Questions", "mention_list", OVERSEERS),
    Tab("collection", 70, "runs", "Runs", "run_list", OVERSEERS),
    Tab("collection", 80, "pools", "Pools", "pool_list", OVERSEERS),
    Tab("collection", 100, "people", "People", "member_list", OVERSEERS),
    Tab("collection", 110, "imports", "Imports", "import_list", MANAGERS),
    Tab("collection", 120, "audit", "Audit", "audit_list", MANAGERS),
    Tab("collection", 130, "settings", "Settings", "collection_edit", MANAGERS),
    Tab("questions", 10, "mentions", "Citation mentions", "mention_list"),
    Tab("questions", 20, "generation", "Generation", "generation_list"),
    Tab("questions", 30, "questions", "Generated questions", "question_list"),
    Tab("questions", 40, "authors", "From authors", "author_call_list", MANAGERS),
)
