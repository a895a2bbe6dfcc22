import type { HostStrategy } from '../manifest/resolve-strategy.ts'

/** How many hosts each batch takes, of so many: at least one each, and all of them together. */
export function batchSizes(strategy: HostStrategy, hosts: number): number[] {
  if (hosts === 0) return []
  if (strategy.kind === 'canary') return sharesOf(strategy.steps, hosts)
  if (strategy.kind !== 'rolling') return [hosts]
  const { batch } = strategy
  const size = 'hosts' in batch ? batch.hosts : shareOf(batch.percent, hosts)
  const sizes = Array.from({ length: Math.ceil(hosts / size) }, () => size)
  sizes[sizes.length - 1] = hosts - size * (sizes.length - 1)
  return sizes
}

/** A share rounded up, by whole numbers: 0.07 × 100 is above 7. */
const shareOf = (percent: number, hosts: number): number =>
  Math.max(1, Math.ceil((percent * hosts) / 100))

/** Steps of a canary name the share that is updated after them. A step that would add no host adds one. */
function sharesOf(steps: readonly number[], hosts: number): number[] {
  const sizes: number[] = []
  let done = 0
  for (const percent of steps) {
    if (done === hosts) break
    const until = Math.max(done + 1, Math.min(hosts, shareOf(percent, hosts)))
    sizes.push(until - done)
    done = until
  }
  return sizes
}

/** Whether a person lets the deployment go on after this batch. Nobody is asked after the last. */
export function confirmsAfter(strategy: HostStrategy, batch: number): boolean {
  if (strategy.kind !== 'canary' && strategy.kind !== 'blue-green') return false
  return strategy.confirm === 'each' || (strategy.confirm === 'first' && batch === 1)
}

/** How long the next batch waits after the last host of this one. */
export function pauseMsOf(strategy: HostStrategy): number {
  if (strategy.kind === 'rolling') return strategy.pauseSeconds * 1_000
  return strategy.kind === 'canary' ? strategy.bakeSeconds * 1_000 : 0
}
