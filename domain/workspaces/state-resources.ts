import { compareAddresses } from './compare-addresses.ts'
import type { StateDocument } from './state-document.ts'

export type StateResource = {
  address: string
  mode: 'managed' | 'data'
  type: string
  name: string
  module: string | null
  provider: string
}

/** Every instance in the state by its address, sorted, and nothing of its attributes (decisions §4). */
export function listResources(state: StateDocument): StateResource[] {
  const found = state.resources.flatMap(instancesOf)
  return found.toSorted((a, b) => compareAddresses(a.address, b.address))
}

/** How many real things the state stands for; data sources are only read. */
export const countManaged = (state: StateDocument): number =>
  state.resources.flatMap(instancesOf).filter(({ mode }) => mode === 'managed').length

function instancesOf(resource: unknown): StateResource[] {
  const { module, mode, type, name, provider, instances } = fieldsOf(resource)
  const own = {
    mode: mode === 'data' ? ('data' as const) : ('managed' as const),
    type: textOf(type),
    name: textOf(name),
    module: typeof module === 'string' && module !== '' ? module : null,
    provider: textOf(provider),
  }
  const base = [own.module, own.mode === 'data' ? 'data' : null, own.type, own.name]
    .filter((part) => part !== null)
    .join('.')
  return (Array.isArray(instances) ? instances : []).map((instance) => {
    const { index_key: key, deposed } = fieldsOf(instance)
    const index = key === undefined || key === null ? '' : `[${JSON.stringify(key)}]`
    const rest = typeof deposed === 'string' ? ` (deposed ${deposed})` : ''
    return { address: `${base}${index}${rest}`, ...own }
  })
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {}
