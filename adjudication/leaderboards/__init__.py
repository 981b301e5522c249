"""Leaderboards: runs scored by members against test topics whose gold nobody sees, shown to everybody."""
