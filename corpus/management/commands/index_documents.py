from corpus.documents.operations import INDEX_DOCUMENTS

Command = INDEX_DOCUMENTS.command
