"""Who judges what: a pure planner over arrays, without Django."""
