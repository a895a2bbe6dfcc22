import type { Page } from 'playwright-core'

/**
 * From the top to the end of the page, a screen at a time. What is measured is the processor time of the page's
 * thread, for how long a task takes is also a matter of who else uses the machine.
 */
export async function workOfScroll(page: Page): Promise<{ perScreen: number; screens: number }> {
  const probe = await page.context().newCDPSession(page)
  await probe.send('Performance.enable', { timeDomain: 'threadTicks' })
  const workMs = async () => {
    const { metrics } = await probe.send('Performance.getMetrics')
    return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0)
  }
  const before = await workMs()
  let screens = 1
  while (screens < 200 && (await page.evaluate(scrollOn)) === true) screens += 1
  return { perScreen: ((await workMs()) - before) / screens, screens }
}

const scrollOn = `new Promise((resolve) => {
  const before = scrollY
  scrollBy(0, innerHeight)
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(scrollY > before)))
})`
