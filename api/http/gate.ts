/** A semaphore: lets a number of tasks run at once, the others wait in order. */
export type Gate = <Value>(work: () => Promise<Value>) => Promise<Value>

function createGate(size: number): Gate {
  const waiting: Array<() => void> = []
  let free = size
  return async (work) => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}

/** A gate for each organization, so that none waits for another one's work. */
export function createGates(size: number): (organizationId: number) => Gate {
  const gates = new Map<number, { gate: Gate; users: number }>()
  return (organizationId) => async (work) => {
    const entry = gates.get(organizationId) ?? { gate: createGate(size), users: 0 }
    gates.set(organizationId, entry)
    entry.users += 1
    try {
      return await entry.gate(work)
    } finally {
      entry.users -= 1
      if (entry.users === 0) gates.delete(organizationId)
    }
  }
}
