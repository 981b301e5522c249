"""Report presets: the papers' tables from one's own runs, one module for each paper; `registry.PRESETS` names them."""
