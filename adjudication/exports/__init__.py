"""Files a collection gives out: readiness first, then lines, streamed from server-side cursors."""
