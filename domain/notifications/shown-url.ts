/** What members see of a channel's address: its path and query are the right to post to it. */
export const shownUrl = ({ origin, pathname, search }: URL): string =>
  pathname === '/' && search === '' ? origin : `${origin}/…`
