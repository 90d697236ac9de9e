"""Every connection to another computer, and to servers on this one, is opened here: by one set of rules, and noted."""
