"""Who judges what: annotators of a campaign, plans of assignments, the open queue."""
