"""How the window looks: colours, fonts, icons, and the strokes they are painted with."""
