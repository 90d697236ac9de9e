"""Forecasts what a provider's cache will do with a request, and judges it afterwards."""
