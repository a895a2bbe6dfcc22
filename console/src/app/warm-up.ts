/**
 * Gets the other pages once the first one stands and nobody waits for anything: a page that is
 * opened while the service restarts is then there, and says so itself.
 */
export function warmUp(): void {
  const pages = import.meta.glob('../pages/*.tsx')
  const after = (act: () => void) =>
    'requestIdleCallback' in globalThis ? requestIdleCallback(act) : setTimeout(act, 1)
  setTimeout(() => {
    after(() => {
      // What does not arrive is asked for again by whoever opens that page.
      for (const load of Object.values(pages)) load().catch(() => undefined)
    })
  }, 4_000)
}
