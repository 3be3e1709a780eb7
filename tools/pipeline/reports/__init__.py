"""What jobs found, as pages: one self-contained HTML file each."""
