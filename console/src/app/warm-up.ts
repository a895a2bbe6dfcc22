import type { AnyRouter } from '@tanstack/react-router'
import { loadMenu } from './load-menu.ts'
import { loadPalette } from './load-palette.ts'

/**
 * Loads the scripts of the other pages when the browser is idle after the first page. A page that is
 * opened during a restart of the service can then still render and show the failure.
 */
export function warmUp(router: AnyRouter): void {
  const after = (act: () => void) =>
    'requestIdleCallback' in globalThis ? requestIdleCallback(act) : setTimeout(act, 1)
  setTimeout(() => {
    after(() => {
      // A script that fails to load here is requested again when its page is opened.
      const lost = () => undefined
      loadMenu().catch(lost)
      loadPalette().catch(lost)
      for (const { options } of Object.values<AnyRouter['routeTree']>(router.routesById))
        options.component?.preload?.()?.catch(lost)
    })
  }, 4_000)
}
