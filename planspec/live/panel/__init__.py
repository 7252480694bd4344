"""Panel of a task: its plan as a timeline to scale, constraints with margins, proved claims, conflicts, ways out."""

from planspec.live.panel.page import panel_page
from planspec.live.panel.panels import judged_panel, proved_panel
from planspec.live.panel.record import PanelShown

__all__ = ["PanelShown", "judged_panel", "panel_page", "proved_panel"]
