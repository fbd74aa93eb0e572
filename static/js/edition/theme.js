/* The theme and the contrast that the reader chose, before anything is painted: no server reads the cookie here. */
for (const [, name, value] of document.cookie.matchAll(/(?:^|; )(theme|contrast)=(light|dark|more)/g))
  document.documentElement.dataset[name] = value;
