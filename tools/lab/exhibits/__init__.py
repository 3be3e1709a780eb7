"""The exhibits, one module each: `EXHIBIT`, with the story that `klamm lab exhibit` tells."""
