import type { Page } from 'playwright-core'

/** In milliseconds. */
export type Interaction = {
  /**
   * The longest duration that the browser's Event Timing API reports for it, to the next paint, in steps of 8.
   * Events under 16 are not reported: 16 stands for them.
   */
  next: number
  /** From the event to the paint after the answer is on the page. */
  answered: number
}

const leastMs = 16

/** Before the first page is opened. */
export async function watchEvents(page: Page): Promise<void> {
  await page.addInitScript(`
    globalThis.eventsSeen = []
    new PerformanceObserver((list) => {
      for (const { interactionId, duration } of list.getEntries())
        if (interactionId) eventsSeen.push({ interactionId, duration })
    }).observe({ type: 'event', durationThreshold: ${leastMs}, buffered: true })`)
}

/** `isShown` is an expression in the page that is true once the answer is there. */
export async function measureInteraction(
  page: Page,
  act: () => Promise<void>,
  isShown: string,
): Promise<Interaction> {
  await page.evaluate(`
    eventsSeen.length = 0
    if (${isShown}) throw new Error('the answer is there before the question')
    globalThis.answered = new Promise((resolve, reject) => {
      setTimeout(() => reject(new Error('no answer in 20 seconds')), 20_000)
      const begin = ({ timeStamp }) => {
        removeEventListener('click', begin, true)
        removeEventListener('keydown', begin, true)
        const look = () => {
          if (${isShown}) setTimeout(() => resolve(performance.now() - timeStamp))
          else requestAnimationFrame(look)
        }
        requestAnimationFrame(look)
      }
      addEventListener('click', begin, true)
      addEventListener('keydown', begin, true)
    })
    undefined`)
  await act()
  const answered = await page.evaluate<number>('answered')
  // Entries are delivered after the paint.
  await page.waitForTimeout(250)
  const next = await page.evaluate<number>(
    `Math.max(${leastMs}, ...eventsSeen.map(({ duration }) => duration))`,
  )
  return { next, answered }
}

/** The time from each move of the pointer over these places to the end of the frame that shows it. */
export async function measureMoves(
  page: Page,
  places: ReadonlyArray<{ x: number; y: number }>,
): Promise<number[]> {
  await page.evaluate(`
    globalThis.moves = []
    addEventListener('pointermove', ({ timeStamp }) => {
      requestAnimationFrame(() => setTimeout(() => moves.push(performance.now() - timeStamp)))
    }, true)`)
  for (const { x, y } of places) {
    await page.mouse.move(x, y)
    await page.waitForTimeout(60)
  }
  return page.evaluate<number[]>('moves')
}
