"""The first layer by hand: written in place, with its price, before anything is changed."""
