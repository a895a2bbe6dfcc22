import { useRouterState } from '@tanstack/react-router'

/** The fragment of the URL. It is updated when a link is pasted while the page is open. */
export const useHash = (): string =>
  useRouterState({ select: ({ location: { hash } }) => hash.replace(/^#/, '') })
