"""The attachments pane: files, pages and pictures attached to a chat, and their preview."""
