"""The rules of Sueca: pure, standard library only."""
