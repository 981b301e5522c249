"""What can be imported: one module a sort of records, each with an `Importer`. The apps name theirs in `importers`."""
