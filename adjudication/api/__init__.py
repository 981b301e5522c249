"""REST API of agreement, votes, verdicts and exports."""
