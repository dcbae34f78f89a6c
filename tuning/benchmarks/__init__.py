"""Programs that measure and soak the engine. They need the repository: the wheel has none of them."""
