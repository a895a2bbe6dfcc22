import {
  Fragment,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
} from 'react'
import { offsetsOf, overscanPx, piecesOf, rangeOf } from './windowed.ts'

type Props<Item> = {
  label: string
  items: readonly Item[]
  keyOf: (item: Item) => string
  /** Another one means another height: of an opened row it differs from the closed one's. */
  sizeKeyOf: (item: Item) => string
  /** The height in pixels until the row is measured. */
  guess: (item: Item) => number
  render: (item: Item) => ReactNode
  onKeyDown?: (event: KeyboardEvent<HTMLUListElement>) => void
}

/** A shorter list is rendered whole, so that the search of the browser finds all of it. */
const wholeUpTo = 400

/**
 * A list that scrolls with the page and has only the rows near the window in the document. Rows may have any
 * height. The row with the focus stays in the document, so that scrolling does not lose the focus.
 */
export function WindowedList<Item>(props: Props<Item>) {
  const { label, items, keyOf, sizeKeyOf, render, onKeyDown } = props
  const list = useRef<HTMLUListElement>(null)
  const [focused, setFocused] = useState<string>()
  const isWhole = items.length <= wholeUpTo
  const { offsets, watch } = useHeights(props, list)
  const view = useView(list, !isWhole)
  const range = isWhole
    ? { first: 0, end: items.length }
    : rangeOf(offsets, view.top - overscanPx, view.bottom + overscanPx)
  const kept = focused === undefined ? undefined : items.findIndex((one) => keyOf(one) === focused)
  return (
    <ul
      className="windowed"
      aria-label={label}
      ref={list}
      onKeyDown={onKeyDown}
      onFocus={({ target }) =>
        setFocused(target.closest<HTMLElement>('[data-row]')?.dataset['row'])
      }
      onBlur={() => setFocused(undefined)}
    >
      {piecesOf(offsets, range, kept).map((piece) => {
        if ('gap' in piece)
          return <li key={`gap ${piece.before}`} aria-hidden="true" style={{ height: piece.gap }} />
        const item = items[piece.at]
        if (item === undefined) return <Fragment key={piece.at} />
        const key = keyOf(item)
        return (
          <li
            key={key}
            data-row={key}
            data-size={sizeKeyOf(item)}
            ref={watch}
            aria-setsize={items.length}
            aria-posinset={piece.at + 1}
          >
            {render(item)}
          </li>
        )
      })}
    </ul>
  )
}

/** The measured height of each row that was rendered, and the guess for others. A whole list needs none. */
function useHeights<Item>(
  { items, sizeKeyOf, guess }: Props<Item>,
  list: React.RefObject<HTMLUListElement | null>,
) {
  const isWanted = items.length > wholeUpTo
  const heights = useRef(new Map<string, number>())
  const [version, setVersion] = useState(0)
  const observer = useMemo(
    () =>
      new ResizeObserver((entries) => {
        let isNew = false
        for (const { target } of entries) {
          const key = target instanceof HTMLElement && target.dataset['size']
          const { height } = target.getBoundingClientRect()
          // A row that has just left the document has no height.
          if (!key || height === 0 || heights.current.get(key) === height) continue
          heights.current.set(key, height)
          isNew = true
        }
        if (isNew) setVersion((before) => before + 1)
      }),
    [],
  )
  useEffect(() => () => observer.disconnect(), [observer])
  const watch = useCallback(
    (row: HTMLLIElement | null) => {
      if (!row || !isWanted) return
      observer.observe(row)
      return () => observer.unobserve(row)
    },
    [observer, isWanted],
  )
  useEffect(() => {
    // To ask for its width makes the browser lay out the page at once.
    if (!isWanted) return
    let width = list.current?.clientWidth
    const forget = () => {
      if (list.current?.clientWidth === width) return
      width = list.current?.clientWidth
      heights.current.clear()
      setVersion((before) => before + 1)
    }
    addEventListener('resize', forget)
    return () => removeEventListener('resize', forget)
  }, [list, isWanted])
  const offsets = useMemo(
    () =>
      offsetsOf(items.length, (at) => {
        const item = items[at]
        return item === undefined ? 0 : (heights.current.get(sizeKeyOf(item)) ?? guess(item))
      }),
    // A new version has other heights.
    // oxlint-disable-next-line react/exhaustive-deps
    [items, sizeKeyOf, guess, version],
  )
  return { offsets, watch }
}

const stepPx = 320

/** The part of the list that the window shows, in steps, so that not every frame of a scroll renders. */
function useView(list: React.RefObject<HTMLElement | null>, isWanted: boolean) {
  const [view, setView] = useState({ top: 0, bottom: 2_000 })
  const look = useCallback(() => {
    const element = list.current
    // To ask for its place makes the browser lay out the page at once.
    if (!element || !isWanted) return
    const above = -element.getBoundingClientRect().top
    const top = Math.floor(above / stepPx) * stepPx
    const bottom = Math.ceil((above + innerHeight) / stepPx) * stepPx
    setView((before) => (before.top === top && before.bottom === bottom ? before : { top, bottom }))
  }, [list, isWanted])
  // What is above the list may have changed its height.
  useLayoutEffect(look)
  useEffect(() => {
    addEventListener('scroll', look, { passive: true })
    addEventListener('resize', look)
    return () => {
      removeEventListener('scroll', look)
      removeEventListener('resize', look)
    }
  }, [look])
  return view
}
