"""Free-form nodes and the profile, over the one record substrate."""
