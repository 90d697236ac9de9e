"""One question over variants, models and repeats: asked, judged, kept, and taken over."""
