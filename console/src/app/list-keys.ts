/** What a list can be walked over by: the links of its rows, or the buttons that open them. */
const rows = 'main :is(a.row, .plan-toggle, .table-box tbody th a)'

/** `j` and `k`: the focus goes to the next or the previous row of the page's lists. False without one. */
export function walkRows(step: 1 | -1): boolean {
  const all = [...document.querySelectorAll<HTMLElement>(rows)]
  const { activeElement } = document
  const here = activeElement?.closest('li, tr')
  const at = all.findIndex((row) => row === activeElement || here?.contains(row))
  const next = at < 0 ? all[0] : all[at + step]
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
  return all.length > 0
}

/** The page's part that has this key, such as "New workspace" or the tab with the files. */
export function pressKeyed(key: string): boolean {
  const part = document.querySelector<HTMLElement>(
    `main :is([data-key="${key}"]:is(a, button), [data-key="${key}"] :is(a, button))`,
  )
  part?.click()
  return part !== null
}
