import { workspacesSearch, type WorkspacesSearch } from './workspaces-search.ts'

/** A name for filters and an order of the list of workspaces. */
export type SavedView = { name: string; search: WorkspacesSearch }

/** The lists that a person makes for themselves. The API has no place for them, so the browser keeps them. */
export type OwnLists = {
  /** Ids of workspaces. */
  favorites: readonly number[]
  /** The newest first. */
  recents: readonly number[]
  views: readonly SavedView[]
}

/** The API is asked for at most 100 workspaces by their ids. */
export const most = { favorites: 100, recents: 20, views: 20, nameLength: 40 } as const

/** Reads what was kept. Another version of the console, or a person, may have written anything there. */
export function readLists(kept: string | null): OwnLists {
  const found = parsed(kept)
  return {
    favorites: idsOf(found['favorites']).slice(0, most.favorites),
    recents: idsOf(found['recents']).slice(0, most.recents),
    views: listOf(found['views']).flatMap(viewOf).slice(0, most.views),
  }
}

export const withFavorite = (lists: OwnLists, id: number, isOne: boolean): OwnLists => ({
  ...lists,
  favorites: [...lists.favorites.filter((one) => one !== id), ...(isOne ? [id] : [])].slice(
    -most.favorites,
  ),
})

export const withRecent = (lists: OwnLists, id: number): OwnLists => ({
  ...lists,
  recents: [id, ...lists.recents.filter((one) => one !== id)].slice(0, most.recents),
})

/** A view of the same name is replaced. */
export const withView = (lists: OwnLists, view: SavedView): OwnLists => ({
  ...lists,
  views: [...lists.views.filter(({ name }) => name !== view.name), view].slice(-most.views),
})

export const withoutView = (lists: OwnLists, removed: string): OwnLists => ({
  ...lists,
  views: lists.views.filter(({ name }) => name !== removed),
})

function parsed(kept: string | null): Record<string, unknown> {
  try {
    return recordOf(JSON.parse(kept ?? '{}'))
  } catch {
    return {}
  }
}

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

const idsOf = (value: unknown): number[] =>
  [...new Set(listOf(value).filter((id) => Number.isSafeInteger(id) && Number(id) > 0))].map(Number)

function viewOf(value: unknown): SavedView[] {
  const { name, search } = recordOf(value)
  return typeof name === 'string' && name !== ''
    ? [{ name: name.slice(0, most.nameLength), search: workspacesSearch(recordOf(search)) }]
    : []
}
