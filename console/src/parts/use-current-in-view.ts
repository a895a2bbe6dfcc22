import { useEffect, useRef, type RefObject } from 'react'

/** For a row of links that scrolls on a narrow screen: after each render its current link is scrolled into view. */
export function useCurrentInView(): RefObject<HTMLElement | null> {
  const row = useRef<HTMLElement>(null)
  useEffect(() => {
    const element = row.current
    if (!element) return
    // It tells after the browser has laid out the page. Asked before, the browser would do that once more.
    const observer = new ResizeObserver(() => {
      showCurrent(element)
      observer.disconnect()
    })
    observer.observe(element)
    return () => observer.disconnect()
  })
  return row
}

function showCurrent(row: HTMLElement): void {
  const current = row.querySelector<HTMLElement>('[aria-current="page"], .active')
  if (!current) return
  // Sets `scrollLeft`, because `scrollIntoView` would scroll the page too.
  const { offsetLeft, offsetWidth } = current
  const { clientWidth, scrollLeft } = row
  if (offsetLeft < scrollLeft || offsetLeft + offsetWidth > scrollLeft + clientWidth)
    row.scrollLeft = offsetLeft - (clientWidth - offsetWidth) / 2
}
