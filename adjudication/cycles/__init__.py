"""Anno-GPT cycles: machines tuned on a development set, frozen, and tested before they may annotate."""
