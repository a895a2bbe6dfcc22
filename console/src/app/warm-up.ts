import type { AnyRouter } from '@tanstack/react-router'
import { loadMenu } from './load-menu.ts'
import { loadPalette } from './load-palette.ts'

/**
 * Loads the scripts of the other pages when the browser is idle after the first page. A page that is
 * opened during a restart of the service can then still render and show the failure. One script at a
 * time, so that no click waits for all of them.
 */
export function warmUp(router: AnyRouter): void {
  const after = (act: () => void) =>
    'requestIdleCallback' in globalThis ? requestIdleCallback(act) : setTimeout(act, 1)
  const pages = Object.values<AnyRouter['routeTree']>(router.routesById)
  const loads = [
    loadMenu,
    loadPalette,
    ...pages.map(
      ({ options }) =>
        async () =>
          options.component?.preload?.(),
    ),
  ]
  const next = () => {
    const load = loads.shift()
    // A script that fails to load here is requested again when its page is opened.
    if (load)
      after(
        () =>
          void load()
            .catch(() => undefined)
            .finally(next),
      )
  }
  setTimeout(next, 4_000)
}
