"""Known answers: training, qualification, hidden gold, and how people answer them."""
