import type { Page } from 'playwright-core'
import { scrollThrough } from '../../test/e2e/scroll-through.ts'
import { benchConfig } from '../config.ts'
import { median, table } from '../figures.ts'

const rounds = benchConfig.rounds(3)

export type ScrolledPage = {
  name: string
  /** The work of a frame, in ms of the page's thread: 33 is 30 frames in a second. */
  limitMs: number
  open: (page: Page) => Promise<unknown>
  /** A selector, where a box scrolls and not the page. */
  box?: string
}

/**
 * The processor time of the page's thread for each frame of a scroll by windows, beside the same
 * scroll of a bare page of 5,000 lines.
 */
export async function measureScrolls(page: Page, pages: readonly ScrolledPage[]): Promise<boolean> {
  const bare = await workOfFrames(page, {
    open: async () => page.setContent(bareLines),
  })
  const lines = [['scroll', 'frames', 'work a frame', 'limit', 'bare', 'ratio', '']]
  let good = true
  for (const { name, limitMs, ...scrolled } of pages) {
    const { frames, perFrame } = await workOfFrames(page, scrolled)
    const fits = perFrame <= limitMs
    good &&= fits
    lines.push([
      name,
      String(frames),
      `${perFrame.toFixed(1)} ms`,
      `${limitMs} ms`,
      `${bare.perFrame.toFixed(1)} ms`,
      (perFrame / bare.perFrame).toFixed(1),
      fits ? 'ok' : 'OVER',
    ])
  }
  console.log(`\n${table(lines)}\n`)
  return good
}

const bareLines = Array.from({ length: 5_000 }, (_, at) => `<div>line number ${at}</div>`).join('')

async function workOfFrames(
  page: Page,
  { open, box }: Pick<ScrolledPage, 'open' | 'box'>,
): Promise<{ frames: number; perFrame: number }> {
  const probe = await page.context().newCDPSession(page)
  await probe.send('Performance.enable', { timeDomain: 'threadTicks' })
  const workMs = async () => {
    const { metrics } = await probe.send('Performance.getMetrics')
    return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0)
  }
  const found: { frames: number; perFrame: number }[] = []
  for (let round = 0; round < rounds; round += 1) {
    await open(page)
    const before = await workMs()
    const { frames } = await scrollThrough(page, { ...(box && { box }) })
    found.push({ frames, perFrame: ((await workMs()) - before) / frames })
  }
  await probe.detach()
  return {
    frames: median(found.map(({ frames }) => frames)),
    perFrame: median(found.map(({ perFrame }) => perFrame)),
  }
}
