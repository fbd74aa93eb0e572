"""A session as it is played: paced, framed and watched. Plain Python that knows neither Django nor asyncio."""
