"""View values, which a front end draws as they are."""
