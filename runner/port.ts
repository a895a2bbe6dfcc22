import { createHash } from 'node:crypto'
import type { PackedRows } from '../domain/plans/pack-rows.ts'
import type { Channel } from '../gateways/runner/channel.ts'
import type { Asks, LogLine, RunnerJob } from '../gateways/runner/protocol.ts'
import { workbenchFrom } from '../gateways/sandbox/workbench-from.ts'
import type { Workbench } from '../gateways/sandbox/workbench.ts'

/** A job's connection to its worker. */
export type Port = {
  /** Aborted when the run is canceled or another attempt takes over. */
  readonly signal: AbortSignal
  /** Reads the worker's frames until it closes. */
  pump(): Promise<void>
  job(): Promise<RunnerJob>
  ask<What extends keyof Asks>(what: What, ask: Asks[What]['ask']): Promise<Asks[What]['answer']>
  /** A blob from the worker, once it is complete. It can be read once, so that it is not kept in memory. */
  input(name: string): Promise<Buffer>
  log: (lines: LogLine[]) => Promise<void>
  sendBlob(name: string, bytes: Buffer): Promise<void>
  /** Sends rows of the plan for people. */
  sendRows(batch: PackedRows): Promise<void>
  tellGroup(processGroup: number): void
  /** Opens the workbench that `bench` granted; its steps are children of this process. */
  openBench(
    ask: Asks['bench']['ask'],
  ): Promise<{ bench: Workbench } & Omit<Asks['bench']['answer'], 'bench' | 'grant'>>
}

type Input = { pieces: Buffer[]; whole: PromiseWithResolvers<Buffer> }

export function openPort(channel: Channel): Port {
  const canceled = new AbortController()
  const job = Promise.withResolvers<RunnerJob>()
  const inputs = new Map<string, Input>()
  const asked = new Map<number, (value: unknown) => void>()
  let asks = 0

  const inputOf = (name: string): Input => {
    const known = inputs.get(name)
    if (known) return known
    const made = { pieces: [], whole: Promise.withResolvers<Buffer>() }
    inputs.set(name, made)
    return made
  }
  const ask: Port['ask'] = async (what, ask) => {
    const id = (asks += 1)
    const answer = new Promise<unknown>((resolve) => asked.set(id, resolve))
    await channel.send({ kind: 'ask', id, what, ask })
    // The worker answers each question with the type that `Asks` says.
    return (await answer) as Asks[typeof what]['answer']
  }

  return {
    signal: canceled.signal,
    job: async () => job.promise,
    ask,
    async pump() {
      for await (const { header, body } of channel.frames) {
        const name = String(header['name'])
        if (header.kind === 'blob') inputOf(name).pieces.push(Buffer.from(body))
        else if (header.kind === 'blob_end') {
          const { pieces, whole } = inputOf(name)
          whole.resolve(Buffer.concat(pieces.splice(0)))
        } else if (header.kind === 'answer') {
          const id = Number(header['to'])
          asked.get(id)?.(header['value'])
          asked.delete(id)
        } else if (header.kind === 'cancel') canceled.abort()
        // Sent by a worker of the same version (supervise-job.ts).
        else if (header.kind === 'job') job.resolve(header['job'] as RunnerJob)
      }
    },
    async input(name) {
      const bytes = await inputOf(name).whole.promise
      inputs.delete(name)
      return bytes
    },
    log: async (lines) => channel.send({ kind: 'log', lines }),
    sendBlob: async (name, bytes) => channel.sendBlob(name, bytes),
    sendRows: async ({ firstSeq, lastSeq, json }) =>
      channel.send({ kind: 'blob', name: 'rows', firstSeq, lastSeq }, Buffer.from(json)),
    tellGroup(group) {
      channel.send({ kind: 'group', group }).catch(() => undefined)
    },
    async openBench(wanted) {
      const { bench, grant, ...more } = await ask('bench', wanted)
      return {
        bench: workbenchFrom(grant, async () => {
          await ask('giveBack', { bench })
        }),
        ...more,
      }
    },
  }
}

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
