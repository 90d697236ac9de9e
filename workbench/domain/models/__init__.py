"""Models and who serves them: providers, cards, lists, and what turns have taught."""
