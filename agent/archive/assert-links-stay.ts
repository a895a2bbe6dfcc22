import { refusedPath } from './entry-path.ts'

const maxHops = 40
/** Of all links together, so that a hostile archive cannot take hours. */
const maxSteps = 2_000_000

/**
 * Refuses links that lead out of the folder. The text of one link is not enough: `d/e/p -> ../..` and `q ->
 * d/e/p/../x` each look harmless, and q is outside. So every link is followed as the kernel does, through the
 * others. Paths and targets are in latin1.
 */
export function assertLinksStay(links: ReadonlyMap<string, string>): void {
  let steps = 0
  for (const path of links.keys()) {
    const at: string[] = []
    const left = path.split('/').toReversed()
    for (let hops = 0; left.length > 0;) {
      steps += 1
      if (steps > maxSteps) throw refusedPath(path, 'is one of too many links')
      const part = left.pop()
      if (part === undefined || part === '' || part === '.') continue
      if (part === '..') {
        if (at.length === 0) throw refusedPath(path, 'is a link that leaves the folder')
        at.pop()
        continue
      }
      at.push(part)
      const target = links.get(at.join('/'))
      if (target === undefined) continue
      hops += 1
      if (hops > maxHops) throw refusedPath(path, 'is a link in a circle')
      if (target === '' || target.startsWith('/') || target.includes('\0'))
        throw refusedPath(path, 'is a link that leaves the folder')
      at.pop()
      left.push(...target.split('/').toReversed())
    }
  }
}
