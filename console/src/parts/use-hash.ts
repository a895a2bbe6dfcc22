import { useRouterState } from '@tanstack/react-router'

/** What stands behind the `#`, also of a link that is pasted where the page is open already. */
export const useHash = (): string =>
  useRouterState({ select: ({ location: { hash } }) => hash.replace(/^#/, '') })
