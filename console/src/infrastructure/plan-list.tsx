import { startTransition, useCallback, useMemo, useState, type KeyboardEvent } from 'react'
import { plainText } from '../parts/plain-text.ts'
import { WindowedList } from '../parts/windowed-list.tsx'
import type { PlanItem } from './plan-items.ts'
import { PlanRow, type Beside } from './plan-row.tsx'

/** Which rows are open: all or none, but for those that were turned since. */
export type OpenRows = { all: boolean; turned: ReadonlySet<string> }

export const useOpenRows = (all: boolean) => {
  const [open, setOpen] = useState<OpenRows>({ all, turned: new Set() })
  // Not urgent, because it renders every row near the window: the button answers first.
  const setAll = (all: boolean) => startTransition(() => setOpen({ all, turned: new Set() }))
  const turn = useCallback(
    (key: string) =>
      setOpen(({ all, turned }) => {
        const next = new Set(turned)
        if (!next.delete(key)) next.add(key)
        return { all, turned: next }
      }),
    [],
  )
  return { open, setAll, turn }
}

type Props = {
  items: readonly PlanItem[]
  open: OpenRows
  onTurn: (key: string) => void
  beside?: Beside | undefined
}

type Row = { item: PlanItem; isOpen: boolean }

/** The changes of a plan. Arrows walk over its rows, right and left open and close one. */
export function PlanList({ items, open, onTurn, beside }: Props) {
  const rows = useMemo(
    () =>
      items.map((item): Row => ({
        item,
        isOpen: item.kind === 'entry' && open.all !== open.turned.has(item.key),
      })),
    [items, open],
  )
  return (
    <WindowedList
      label="Changes"
      items={rows}
      keyOf={keyOf}
      sizeKeyOf={sizeKeyOf}
      guess={guess}
      onKeyDown={onKey}
      render={({ item, isOpen }) =>
        item.kind === 'head' ? (
          <GroupHead item={item} />
        ) : (
          <PlanRow entry={item.entry} isOpen={isOpen} onTurn={onTurn} beside={beside} />
        )
      }
    />
  )
}

const keyOf = ({ item }: Row) => item.key
const sizeKeyOf = ({ item, isOpen }: Row) => (isOpen ? `${item.key} open` : item.key)

const rowPx = 32
const headPx = 52

function guess({ item, isOpen }: Row): number {
  if (item.kind === 'head') return headPx
  return isOpen ? rowPx + 60 + item.entry.attributes.length * 28 : rowPx
}

function GroupHead({ item }: { item: Extract<PlanItem, { kind: 'head' }> }) {
  return (
    <h2 className="plan-head">
      {item.sign && (
        <span className={`sign ${item.tone}`} aria-hidden="true">
          {item.sign}
        </span>
      )}
      <bdi>{plainText(item.title)}</bdi>{' '}
      <span className="count">{item.count.toLocaleString()}</span>
    </h2>
  )
}

function onKey(event: KeyboardEvent<HTMLUListElement>): void {
  const { target, key } = event
  if (!(target instanceof HTMLElement) || !target.matches('.plan-toggle')) return
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
  if (key === 'ArrowRight' || key === 'ArrowLeft') {
    if ((target.ariaExpanded === 'true') === (key === 'ArrowLeft')) target.click()
    event.preventDefault()
  }
  if (key !== 'ArrowDown' && key !== 'ArrowUp') return
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>('.plan-toggle')]
  const next = all[all.indexOf(target) + (key === 'ArrowDown' ? 1 : -1)]
  next?.focus()
  event.preventDefault()
}
