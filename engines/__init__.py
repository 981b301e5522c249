"""What needs no Django: readers and writers of files, statistics, rankings, plans. No import leaves this package."""
