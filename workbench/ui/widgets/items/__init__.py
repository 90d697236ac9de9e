"""The bases of item views: models, delegates, lists and trees."""
