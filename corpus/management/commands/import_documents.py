from corpus.documents.commands import ImportDocuments as Command
