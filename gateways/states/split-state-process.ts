import { Socket } from 'node:net'
import { AppError } from '../../domain/errors.ts'
import { splitState, type SplitOptions } from '../../domain/workspaces/split-state.ts'
import { openChannel } from '../runner/channel.ts'

/** Splits one state. It communicates through descriptor 3 alone. */
const channel = openChannel(new Socket({ fd: 3 }))
const pieces: Buffer[] = []
let options: SplitOptions = {}
const secrets: string[] = []
// Not by `for await`, which would close the channel with the loop.
const frames = channel.frames[Symbol.asyncIterator]()
for (let next = await frames.next(); !next.done; next = await frames.next()) {
  const { header, body } = next.value
  // Sent by split-state.ts, in this shape.
  if (header.kind === 'options') options = header as SplitOptions
  else if (header.kind === 'secret') secrets.push(body.toString())
  else if (header.kind === 'piece') pieces.push(Buffer.from(body))
  else break
}

async function answer(): Promise<void> {
  const body = Buffer.concat(pieces)
  pieces.length = 0
  const { header, held, parts } = splitState(body, { ...options, secrets })
  await channel.send({ kind: 'state', state: header, held })
  for (const { bytes, ...part } of parts) await channel.send({ ...part }, bytes)
  await channel.send({ kind: 'end' })
}

await answer().catch(async (error: unknown) => {
  if (!(error instanceof AppError)) throw error
  await channel.send({ kind: 'refused', message: error.message, code: error.code })
})
