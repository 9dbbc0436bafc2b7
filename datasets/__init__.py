"""Decks, synthetic scenes, simulated tables and manifests of labelled real photographs."""
