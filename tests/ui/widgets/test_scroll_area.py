"""Areas that scroll."""

from __future__ import annotations

from workbench.ui.widgets.stack import scroll_area, transparent


def test_an_area_has_a_name_and_a_content_without_a_ground(qtbot):
    content = transparent()
    area = scroll_area(content, "Models")
    qtbot.addWidget(area)
    assert (area.widget(), area.accessibleName(), area.widgetResizable()) == (content, "Models", True)
    assert content.objectName() == "transparent"
