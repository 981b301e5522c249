"""REST API of campaigns, assignments, the next item, submissions and judgments."""
