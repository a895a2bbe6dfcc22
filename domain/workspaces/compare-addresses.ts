const collator = new Intl.Collator('en', { numeric: true })

/** As people count, `r2` before `r10`; no two addresses are equal, so that a page knows its place. */
export const compareAddresses = (a: string, b: string): number =>
  collator.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0)
