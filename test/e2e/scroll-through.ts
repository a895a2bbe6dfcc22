import type { Page } from 'playwright-core'

export type Scroll = {
  frames: number
  /** The most elements that were in the document in any of the frames. */
  elements: number
}

/** Scrolls a page, or the box in it, to its end or its start, a window in each frame. */
export async function scrollThrough(
  page: Page,
  { box, up = false }: { box?: string; up?: boolean } = {},
): Promise<Scroll> {
  const found: unknown = await page.evaluate(`new Promise((resolve) => {
    const box = ${box ? `document.querySelector(${JSON.stringify(box)})` : 'document.scrollingElement'}
    const end = () => ${up ? 'box.scrollTop <= 0' : 'box.scrollTop + box.clientHeight >= box.scrollHeight - 2'}
    let frames = 0
    let elements = 0
    const step = () => {
      frames += 1
      box.scrollTop += ${up ? '-' : ''}box.clientHeight
      elements = Math.max(elements, document.getElementsByTagName('*').length)
      if (!end() && frames < 2_000) requestAnimationFrame(step)
      else resolve({ frames, elements })
    }
    requestAnimationFrame(step)
  })`)
  return found as Scroll
}
