"""The demo: an invented collection with people who have judged a part of it. Everything goes through the actions."""
