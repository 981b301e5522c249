from corpus.documents.commands import IndexDocuments as Command
