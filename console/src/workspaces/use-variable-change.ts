import { useState } from 'react'
import {
  seenAfter,
  variableChange,
  whyOvertaken,
  type Listed,
  type Typed,
} from './variable-change.ts'

type Service<V, T> = {
  /** The variables as they are now. */
  list: () => Promise<{ variables: readonly V[] }>
  send: (variableId: number, change: Partial<T>) => Promise<unknown>
}

/**
 * Sends what a form changes of the variable that it was opened with. Where another person has changed the same
 * meanwhile, it says so and sends nothing the first time.
 */
export function useVariableChange<V extends Listed & { id: number }, T extends Typed>(
  opened: V | undefined,
  { list, send }: Service<V, T>,
): (typed: T) => Promise<unknown> {
  const [seen, setSeen] = useState(opened)
  return async (typed) => {
    if (!seen) return undefined
    const change = variableChange(typed, seen)
    if (Object.keys(change).length === 0) return undefined
    const { variables } = await list()
    const stored = variables.find(({ id }) => id === seen.id) ?? seen
    const why = whyOvertaken(change, { seen, stored })
    setSeen(seenAfter(change, { seen, stored }))
    if (why !== undefined) throw new Error(why)
    return send(seen.id, change)
  }
}
