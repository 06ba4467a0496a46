"""Reservoirs: forecasts, memory, chaos, spoken digits."""
