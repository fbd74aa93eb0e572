"""Visitors who come for the first time, but for the scripts: what never changes is loaded once for all of them.

A page of a session imports 150 modules, and to load them anew was half of what a page cost the tests.
"""

from __future__ import annotations

from collections import defaultdict

from playwright.sync_api import Browser, BrowserContext, Error, Page

from tests.browser.waits import WAIT_MS


class Visitors:
    """Contexts of a browser. One that was left is emptied of all that a page can keep, and serves another visitor.

    Args:
        browser: in which they are.
        url: of the server that they visit; whoever goes elsewhere is not met again.
        script: runs in every page before its own.
    """

    def __init__(self, browser: Browser, url: str, script: str) -> None:
        self._browser = browser
        self._url = url
        self._script = script
        self._free: defaultdict[str, list[BrowserContext]] = defaultdict(list)
        self._kinds: dict[BrowserContext, str] = {}

    def arrive(self, **options: object) -> BrowserContext:
        """Return the context of a visitor of whom the server knows nothing; the options are Playwright's."""
        kind = repr(sorted(options.items()))
        if self._free[kind]:
            context = self._free[kind].pop()
        else:
            context = self._browser.new_context(base_url=self._url, **options)
            context.add_init_script(self._script)
            self._kinds[context] = kind
        context.set_default_timeout(WAIT_MS)
        return context

    def leave(self, context: BrowserContext, elsewhere: bool) -> None:
        """Close a visitor's pages, and forget the visitor.

        Args:
            elsewhere: whether a page was of another server, whose storage is not emptied here.
        """
        if elsewhere or not self._empty(context):
            del self._kinds[context]
            context.close()
        else:
            self._free[self._kinds[context]].append(context)

    def _empty(self, context: BrowserContext) -> bool:
        """Leave nothing but the files that may be kept for ever: no cookie, no storage, no permission, no page.

        Return whether that could be done: not where a page does not answer any more, or none is left to ask.
        """
        try:
            for page in context.pages[1:]:
                page.close()
            if context.pages:
                self._forget(context, context.pages[0])
                return True
        except Error:
            return False
        return False

    def _forget(self, context: BrowserContext, last: Page) -> None:
        last.goto("about:blank")  # what the page does as it is left comes before its storage is emptied
        devtools = context.new_cdp_session(last)
        devtools.send("Storage.clearDataForOrigin", {"origin": self._url, "storageTypes": "all"})
        context.clear_cookies()
        context.clear_permissions()
        last.close()
