"""Following the work of a campaign: how much was judged when, how fast, and whose answers should be checked."""
