from corpus.collections.operations import DELETE_COLLECTION

Command = DELETE_COLLECTION.command
