"""The labels that count, as figures, verdicts and exports read them."""
