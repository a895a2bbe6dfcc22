import type { Page } from 'playwright-core'

/** The name of what has the focus, also inside of a shadow root. */
export const focused = async (page: Page): Promise<unknown> =>
  page.evaluate(`(() => {
    let e = document.activeElement
    while (e.shadowRoot?.activeElement) e = e.shadowRoot.activeElement
    if (e === document.body) return 'body'
    return e.labels?.[0]?.textContent ?? e.getAttribute('aria-label') ?? e.textContent
  })()`)
