"""What can be asked for of documents: that they become searchable, by page and command. Documents come in by files
(importer.py)."""

from django.urls import reverse

from accounts.operations import Operation
from corpus.collections.places import in_collection
from corpus.collections.rules import MANAGE
from corpus.documents.indexing import index_again

INDEX_DOCUMENTS = Operation(
    called="index_documents",
    task="Prepare",
    example="index_documents demo",
    action=index_again,
    place=in_collection("documents", "document_list"),
    roles=MANAGE,
    about="Index documents that large imports left to a worker: now, without a worker or together with"
    " workers that are doing it.",
    title="Index documents",
    button="Index the rest",
    report=lambda _: "The documents are being indexed. This page shows the progress.",
    goes_to=lambda indexing: reverse("document_list", args=[indexing.collection.slug]),
    shows=lambda indexing: {"documents": indexing.total},
    finished=lambda indexing: (
        f"All {indexing.total:,} documents are searchable.",
        {"documents": indexing.total},
    ),
)
