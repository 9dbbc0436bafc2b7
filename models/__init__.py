"""The weights, their cards, and how they are trained, evaluated and exported."""
