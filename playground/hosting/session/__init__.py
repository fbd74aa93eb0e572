"""A session as it is played: paced, framed and watched. Plain Python without Django and asyncio."""
