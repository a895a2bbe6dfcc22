import type { AnyRouter } from '@tanstack/react-router'
import { loadMenu } from './load-menu.ts'

/**
 * Gets the other pages once the first one stands and nobody waits for anything: a page that is
 * opened while the service restarts is then there, and says so itself.
 */
export function warmUp(router: AnyRouter): void {
  const after = (act: () => void) =>
    'requestIdleCallback' in globalThis ? requestIdleCallback(act) : setTimeout(act, 1)
  setTimeout(() => {
    after(() => {
      // What does not arrive is asked for again by whoever opens that page.
      const lost = () => undefined
      loadMenu().catch(lost)
      for (const { options } of Object.values<AnyRouter['routeTree']>(router.routesById))
        options.component?.preload?.()?.catch(lost)
    })
  }, 4_000)
}
