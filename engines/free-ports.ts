import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Free ports on 127.0.0.1. A name gets its port of `before` again if that is free. The ports are below
 * the ephemeral range: otherwise an outgoing connection could occupy the port of a server that restarts.
 */
export async function freePorts<Name extends string>(
  names: readonly Name[],
  before: Partial<Record<string, number>> = {},
): Promise<Record<Name, number>> {
  const ports: Partial<Record<Name, number>> = {}
  const given = new Set<number>()
  for (const name of names) {
    const last = before[name]
    const port = last && (await isFree(last, given)) ? last : await findFree(given)
    given.add(port)
    ports[name] = port
  }
  // The loop above has set a port for every name.
  return ports as Record<Name, number>
}

async function findFree(given: ReadonlySet<number>): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const port = randomInt(11_000, 31_000)
    if (await isFree(port, given)) return port
  }
  throw new Error('no free port between 11000 and 31000 on 127.0.0.1')
}

async function isFree(port: number, given: ReadonlySet<number>): Promise<boolean> {
  return !given.has(port) && (await isPortFree('127.0.0.1', port))
}

export function isPortFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)))
  })
}
