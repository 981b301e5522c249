"""Pages of this app in bars of tabs. Places leave room for those of apps above."""

from accounts.slots import Tab
from corpus.collections.rules import MANAGE, OVERSEERS

# Groups of a collection: at most seven, each of at most seven pages (tests/accounts/test_slots.py).
MATERIAL, QUESTIONS, CAMPAIGNS, RESULTS, SETTINGS = "Material", "Questions", "Campaigns", "Results", "Settings"

INVITING = "add new member colleague annotator judge user share"
DO, DO_IN_COLLECTION, DO_IN_CAMPAIGN = "do", "do in collection", "do in campaign"  # found by the palette alone

TABS = (
    Tab(DO, "", 10, "theme", "Dark or light colours", "account_profile", also="theme mode night"),
    Tab(DO, "", 20, "password", "Change the password", "account_change_password", also="new"),
    Tab(DO, "", 30, "token", "Make an API token", "token_list", also="new key rest program"),
    Tab(DO_IN_COLLECTION, "", 10, "invite", "Invite people", "member_list", MANAGE, also=INVITING, after="#invite"),
    Tab(DO_IN_COLLECTION, "", 20, "topic", "New topic", "topic_create", MANAGE, also="write add query question"),
    Tab(DO_IN_COLLECTION, "", 30, "run", "New run", "run_create", MANAGE, also="make search rank bm25 dense vectors"),
    Tab(DO_IN_COLLECTION, "", 40, "pool", "Build pools", "pool_list", MANAGE, also="pooling make new"),
    Tab(
        DO_IN_COLLECTION,
        "",
        50,
        "backup",
        "Back up (downloads one file)",
        "collection_backup",
        MANAGE,
        also="backup save",
    ),
    Tab(DO_IN_COLLECTION, "", 60, "archive", "Archive or delete the collection", "collection_edit", MANAGE).found_by(
        "remove"
    ),
    Tab(DO_IN_COLLECTION, "", 70, "call", "Ask authors for questions", "author_call_create", MANAGE).found_by(
        "new letters"
    ),
    Tab("operator", "", 20, "endpoints", "Model endpoints", "endpoint_list", also="language model llm openai key"),
    Tab("collection", MATERIAL, 10, "documents", "Documents", "document_list").found_by(
        "corpus abstracts articles literature docno"
    ),
    Tab("collection", MATERIAL, 30, "topics", "Topics", "topic_list").found_by(
        "queries questions information needs aspects"
    ),
    Tab("collection", MATERIAL, 40, "runs", "Runs", "run_list", OVERSEERS).found_by(
        "systems rankings rank lists trec run bm25 search"
    ),
    Tab("collection", MATERIAL, 50, "pools", "Pools", "pool_list", OVERSEERS).found_by(
        "pooling depth candidates judging pool"
    ),
    Tab("collection", MATERIAL, 60, "imports", "Imports", "import_list", MANAGE).found_by(
        "upload bring in load files undo"
    ),
    Tab("collection", MATERIAL, 15, "statistics", "Dataset statistics", "document_figures").found_by(
        "dataset statistics counts numbers figures table for a paper latex markdown"
    ),
    Tab("collection", QUESTIONS, 70, "mentions", "Citation mentions", "mention_list", OVERSEERS).found_by(
        "citations citances inline cite"
    ),
    Tab("collection", QUESTIONS, 75, "generation", "Generation", "generation_list", OVERSEERS).found_by(
        "llm gpt language model make write questions"
    ),
    Tab("collection", QUESTIONS, 80, "questions", "Generated questions", "question_list", OVERSEERS).found_by(
        "llm gpt synthetic"
    ),
    Tab("collection", QUESTIONS, 85, "authors", "Authors' calls", "author_call_list", MANAGE).found_by(
        "letters mail survey"
    ),
    Tab("collection", QUESTIONS, 90, "sub-queries", "Sub-queries", "sub_query_list", OVERSEERS),
    Tab("collection", SETTINGS, 310, "people", "People", "member_list", OVERSEERS).found_by(
        "members team users colleagues roles rights permissions"
    ),
    Tab("collection", SETTINGS, 320, "settings", "General", "collection_edit", MANAGE).found_by(
        "licence license title rename description"
    ),
    Tab("collection", SETTINGS, 325, "webhooks", "Webhooks", "webhook_list", MANAGE).found_by(
        "hook notify notification program callback events deliveries"
    ),
    Tab("collection", SETTINGS, 330, "audit", "Audit log", "audit_list", MANAGE).found_by(
        "history log events who did what"
    ),
)
