import type { Asks } from '../../gateways/runner/protocol.ts'
import type { Runner } from '../../gateways/runner/start-runner.ts'

/**
 * Has a runner mask further values in all that it sends from now on. `add` resolves once the runner
 * does: a program that is given a value afterwards cannot print it before.
 */
export function maskInRunner({ channel, ended }: Pick<Runner, 'channel' | 'ended'>) {
  const waiting = new Map<number, () => void>()
  const known = new Set<string>()
  let count = 0
  return {
    async add(values: readonly string[]): Promise<void> {
      const fresh = values.filter((value) => !known.has(value))
      if (fresh.length === 0) return
      count += 1
      const id = count
      const masked = new Promise<void>((resolve) => waiting.set(id, resolve))
      await channel.send({ kind: 'secrets', id, values: fresh })
      const lost = ended.then(() => {
        throw new Error('a runner ended before it masked what a run is lent')
      })
      await Promise.race([masked, lost])
      for (const value of fresh) known.add(value)
    },
    masked: async ({ id }: Asks['masked']['ask']): Promise<Asks['masked']['answer']> => {
      waiting.get(id)?.()
      waiting.delete(id)
      return {}
    },
  }
}
