import { useEffect, useState, type KeyboardEvent } from 'react'

type Asked = { id: string; count: number; onPick: (at: number) => void }

/**
 * The keys of a combobox with a list (WAI-ARIA APG, "Combobox Pattern"): the focus stays in the field, and
 * `aria-activedescendant` names the option that Enter picks.
 */
export function useOptions({ id, count, onPick }: Asked) {
  const [active, setActive] = useState(0)
  // The list may be shorter than before.
  const at = Math.min(active, count - 1)
  const activeId = at >= 0 ? `${id}-${at}` : undefined
  useEffect(() => {
    if (activeId) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' })
  }, [activeId])
  const onKeyDown = (event: KeyboardEvent) => {
    if (count === 0 || event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) setActive((at + step + count) % count)
    else if (event.key === 'Enter' && at >= 0) onPick(at)
    else return
    event.preventDefault()
  }
  return { at, setActive, onKeyDown, activeId }
}
