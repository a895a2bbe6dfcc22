import { useCallback, useState } from 'react'

/** The width of an element in pixels, and the ref to put on it. */
export function useWidth(initial: number): [number, (element: HTMLElement | null) => void] {
  const [width, setWidth] = useState(initial)
  const measure = useCallback((element: HTMLElement | null) => {
    if (!element) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.floor(entry.contentRect.width))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [width, measure]
}
