import { Socket } from 'node:net'
import { AppError } from '../../domain/errors.ts'
import { splitState, type SplitOptions } from '../../domain/workspaces/split-state.ts'
import { openChannel } from '../runner/channel.ts'

/** Splits states of one organization, one after the other. It communicates through descriptor 3 alone. */
const channel = openChannel(new Socket({ fd: 3 }))
// Not by `for await`, which would close the channel with the loop.
const frames = channel.frames[Symbol.asyncIterator]()

type Received = { body: Buffer; options: SplitOptions }

/** Undefined when the channel is closed. */
async function receive(): Promise<Received | undefined> {
  const pieces: Buffer[] = []
  const secrets: string[] = []
  let options: SplitOptions = {}
  for (let next = await frames.next(); !next.done; next = await frames.next()) {
    const { header, body } = next.value
    // Sent by split-state.ts, in this shape.
    if (header.kind === 'options') options = header as SplitOptions
    else if (header.kind === 'secret') secrets.push(body.toString())
    else if (header.kind === 'piece') pieces.push(Buffer.from(body))
    else return { body: Buffer.concat(pieces), options: { ...options, secrets } }
  }
  return undefined
}

async function answer({ body, options }: Received): Promise<void> {
  const { header, held, parts } = splitState(body, options)
  await channel.send({ kind: 'state', state: header, held })
  for (const { bytes, ...part } of parts) await channel.send({ ...part }, bytes)
  await channel.send({ kind: 'end' })
}

for (let state = await receive(); state; state = await receive())
  await answer(state).catch(async (error: unknown) => {
    if (!(error instanceof AppError)) throw error
    await channel.send({ kind: 'refused', message: error.message, code: error.code })
  })
