import { actions, type Action, type Attribute } from './plan.ts'
import type { PlanEntry } from './plan-entries.ts'
import { withoutKeys } from './without-keys.ts'

/** What of a plan is shown, as in the address of the page. */
export type PlanSearch = {
  /** A part of the address, also of the one before, or of the id of what is imported. */
  find?: string
  /** Actions, separated by commas. */
  action?: string
  type?: string
  /** `root` is the configuration itself. */
  module?: string
  /** Only what is imported. */
  imported?: 'only'
  /** A part of an attribute's name or of a value. */
  value?: string
  by?: 'module'
  view?: 'graph'
}

const typedFilters = ['find', 'action', 'type', 'module', 'value'] as const
const planFilters = [...typedFilters, 'imported'] as const

const maxLength = 200

/** The router reads `12` as a number and `true` as a truth value; both were typed as text. */
const typed = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value).slice(0, maxLength) || undefined
    : undefined

export function planSearch(values: Record<string, unknown>): PlanSearch {
  const search: PlanSearch = {}
  for (const name of typedFilters) {
    const value = typed(values[name])
    if (value !== undefined) search[name] = value
  }
  if (search.action !== undefined) {
    const chosen = actionsIn(search).join(',')
    if (chosen === '') delete search.action
    else search.action = chosen
  }
  if (values['imported'] === 'only') search.imported = 'only'
  if (values['by'] === 'module') search.by = 'module'
  if (values['view'] === 'graph') search.view = 'graph'
  return search
}

/** A change of what is shown. An empty value leaves the address. */
export type PlanPatch = { [Name in keyof PlanSearch]?: string | undefined }

export const patched = (search: PlanSearch, patch: PlanPatch): PlanSearch =>
  planSearch({ ...search, ...patch })

/** The chosen actions; none means all. */
export const actionsIn = ({ action = '' }: PlanSearch): Action[] => {
  const chosen = action.split(',')
  return actions.filter((one) => chosen.includes(one))
}

export const noFilters: PlanPatch = Object.fromEntries(planFilters.map((name) => [name, undefined]))

export const isFiltered = (search: PlanSearch): boolean =>
  planFilters.some((name) => search[name] !== undefined)

/** The changes that the filters leave. Outputs have no type and no module. */
export function filterEntries(entries: readonly PlanEntry[], search: PlanSearch): PlanEntry[] {
  if (!isFiltered(search)) return [...entries]
  const chosen = actionsIn(search)
  const [find, value] = [search.find?.toLowerCase(), search.value?.toLowerCase()]
  return entries.filter(
    (entry) =>
      (chosen.length === 0 || (entry.part === 'resource' && chosen.includes(entry.action))) &&
      (find === undefined || namesOf(entry).some((name) => name.toLowerCase().includes(find))) &&
      (search.imported === undefined || entry.resource?.importing !== undefined) &&
      (search.type === undefined || entry.resource?.type === search.type) &&
      (search.module === undefined || moduleOf(entry) === search.module) &&
      (value === undefined || entry.attributes.some((one) => hasText(one, value))),
  )
}

/** Also without keys, as the graph names a block, and by what it was or is outside of the state. */
const namesOf = ({ name, resource }: PlanEntry): string[] => [
  name,
  withoutKeys(name),
  ...(resource?.previousAddress === undefined ? [] : [resource.previousAddress]),
  ...(resource?.importing === undefined ? [] : [resource.importing.id]),
]

export const moduleOf = ({ resource }: PlanEntry): string | undefined =>
  resource && (resource.module ?? 'root')

/** A masked value has no text of its own: a search must not tell that masks are there, nor what is below them. */
function hasText(attribute: Attribute, text: string): boolean {
  const { path, before, after, sensitive, unknown } = attribute
  if (path.toLowerCase().includes(text)) return true
  if (sensitive) return false
  return [before, unknown ? null : after].some(
    (one) => one !== null && String(one).toLowerCase().includes(text),
  )
}

const inOrder = (values: Iterable<string | undefined>): string[] =>
  [...new Set(values)]
    .filter((value) => value !== undefined)
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))

/** What the filters offer. */
export const typesOf = (entries: readonly PlanEntry[]): string[] =>
  inOrder(entries.map(({ resource }) => resource?.type))

export const modulesOf = (entries: readonly PlanEntry[]): string[] => {
  const modules = inOrder(entries.map(moduleOf))
  return modules.includes('root') ? ['root', ...modules.filter((one) => one !== 'root')] : modules
}
