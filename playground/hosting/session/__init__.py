"""A session's player: pace, frames and readers, in plain Python without Django and asyncio."""
