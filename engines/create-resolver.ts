import type { BinaryName } from './binaries.ts'
import { resolveBinary, type ResolveOptions } from './resolve-binary.ts'

export type Resolver = (name: BinaryName) => Promise<string>

/** Resolves each program once, however many ask for it. */
export function createResolver(options: ResolveOptions): Resolver {
  const asked = new Map<BinaryName, Promise<string>>()
  return (name) => {
    const found = asked.get(name) ?? resolveBinary(name, options)
    // Whoever awaits it is told of a failure; until somebody does, it must not end the process.
    found.catch(() => undefined)
    asked.set(name, found)
    return found
  }
}
