"""Panel of a task: plan as a timeline, constraints with margins, proved claims, conflicts and their resolution."""

from planspec.live.panel.page import panel_page
from planspec.live.panel.panels import judged_panel, proved_panel
from planspec.live.panel.record import PanelShown

__all__ = ["PanelShown", "judged_panel", "panel_page", "proved_panel"]
