/** A query string as the router parses it: `12` is a number. */
export type Values = Record<string, unknown>

export const text = (value: unknown) =>
  typeof value === 'string' && value !== '' ? value : undefined

/** The filter of a list, kept in the address, so that Back shows the list as it was. */
export type ListSearch = { q?: string }

export const listSearch = (search: Values): ListSearch => {
  const { q } = search
  const filter = typeof q === 'number' ? String(q) : text(q)
  return filter === undefined ? {} : { q: filter.slice(0, 200) }
}

export const count = (value: unknown) => {
  const number = Number(value)
  return Number.isSafeInteger(number) && number > 0 ? number : undefined
}

/** A malformed id becomes 0, which no row has, so the API answers 404. */
const id = (value: string) => count(value) ?? 0

/** For the addresses of one thing, `…/$id`. */
export const idParams = {
  parse: (raw: { id: string }) => ({ id: id(raw.id) }),
  stringify: (params: { id: number }) => ({ id: String(params.id) }),
}

/** For the addresses of a run, `…/$id/runs/$runId`. */
export const runParams = {
  parse: (raw: { id: string; runId: string }) => ({ id: id(raw.id), runId: id(raw.runId) }),
  stringify: (params: { id: number; runId: number }) => ({
    id: String(params.id),
    runId: String(params.runId),
  }),
}
