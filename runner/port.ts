import { createHash } from 'node:crypto'
import type { PackedRows } from '../domain/infrastructure/pack-rows.ts'
import type { Channel } from '../gateways/runner/channel.ts'
import type { Frame } from '../gateways/runner/frames.ts'
import type { Asks, LogLine, RunnerJob } from '../gateways/runner/protocol.ts'
import { workbenchFrom } from '../gateways/sandbox/workbench-from.ts'
import type { Workbench } from '../gateways/sandbox/workbench.ts'

/** A job's connection to its worker. */
export type Port = {
  /** Aborted when the run is canceled or another attempt takes over. */
  readonly signal: AbortSignal
  ask<What extends keyof Asks>(what: What, ask: Asks[What]['ask']): Promise<Asks[What]['answer']>
  /** Waits for a whole blob from the worker. A blob can be read once, so that it does not stay in memory. */
  input(name: string): Promise<Buffer>
  log: (lines: LogLine[]) => Promise<void>
  sendBlob(name: string, bytes: Buffer): Promise<void>
  /** Sends a batch of the plan's rows, which the API shows. */
  sendRows(batch: PackedRows): Promise<void>
  tellGroup(processGroup: number): void
  /** Called with what the run is lent, before it is. The worker waits until this returns. */
  onSecrets: (add: (values: readonly string[]) => void) => void
  /** Asks the worker for a workbench and opens it. Its steps are children of this process. */
  openBench(
    ask: Asks['bench']['ask'],
  ): Promise<{ bench: Workbench } & Omit<Asks['bench']['answer'], 'bench' | 'grant'>>
}

export type Jobs = {
  /** Reads frames of the worker until the channel ends. */
  pump(): Promise<void>
  /** Waits for the next job. Later frames belong to it, until the worker sends another job. */
  next(): Promise<{ job: RunnerJob; port: Port }>
}

type Input = { pieces: Buffer[]; whole: PromiseWithResolvers<Buffer> }

export function openJobs(channel: Channel): Jobs {
  let sent = Promise.withResolvers<{ job: RunnerJob; port: Port }>()
  let receive: Receive = () => undefined
  let asks = 0
  // Unique across jobs, so that a late answer cannot match a question of a later job.
  const nextAsk = () => (asks += 1)
  const lent: string[] = []
  return {
    async next() {
      const next = await sent.promise
      sent = Promise.withResolvers()
      return next
    },
    async pump() {
      for await (const frame of channel.frames) {
        if (frame.header.kind === 'job') {
          const opened = openPort(channel, { nextAsk, lent })
          receive = opened.receive
          // Sent by a worker of the same version (supervise-job.ts).
          sent.resolve({ job: frame.header['job'] as RunnerJob, port: opened.port })
        } else receive(frame)
      }
    },
  }
}

type Receive = (frame: Frame) => void

function openInputs() {
  const inputs = new Map<string, Input>()
  const inputOf = (name: string): Input => {
    const known = inputs.get(name)
    if (known) return known
    const made = { pieces: [], whole: Promise.withResolvers<Buffer>() }
    inputs.set(name, made)
    return made
  }
  return { inputs, inputOf }
}

/** `lent` is of this process, which serves one run: what an earlier job was lent is masked too. */
function openSecrets(ask: Port['ask'], lent: string[]) {
  let add: (values: readonly string[]) => void = () => undefined
  return {
    receive({ id, values }: Frame['header']): void {
      // A list of texts, by a worker of the same version (activities/infrastructure/mask-in-runner.ts).
      const added = values as string[]
      lent.push(...added)
      add(added)
      ask('masked', { id: Number(id) }).catch(() => undefined)
    },
    listen: (listener: typeof add): void => {
      add = listener
      if (lent.length > 0) add(lent)
    },
  }
}

/** The port of one job. */
function openPort(
  channel: Channel,
  { nextAsk, lent }: { nextAsk: () => number; lent: string[] },
): { port: Port; receive: Receive } {
  const canceled = new AbortController()
  const { inputs, inputOf } = openInputs()
  const asked = new Map<number, (value: unknown) => void>()

  const ask: Port['ask'] = async (what, ask) => {
    const id = nextAsk()
    const answer = new Promise<unknown>((resolve) => asked.set(id, resolve))
    await channel.send({ kind: 'ask', id, what, ask })
    // The worker answers each question with the type in `Asks`.
    return (await answer) as Asks[typeof what]['answer']
  }

  const secrets = openSecrets(ask, lent)
  const receive: Receive = ({ header, body }) => {
    const name = String(header['name'])
    if (header.kind === 'blob') inputOf(name).pieces.push(Buffer.from(body))
    else if (header.kind === 'blob_end') {
      const { pieces, whole } = inputOf(name)
      whole.resolve(Buffer.concat(pieces.splice(0)))
    } else if (header.kind === 'answer') {
      const id = Number(header['to'])
      asked.get(id)?.(header['value'])
      asked.delete(id)
    } else if (header.kind === 'secrets') secrets.receive(header)
    else if (header.kind === 'cancel') canceled.abort()
  }

  const port: Port = {
    signal: canceled.signal,
    ask,
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
    onSecrets: secrets.listen,
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
  return { port, receive }
}

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
