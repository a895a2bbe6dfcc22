import { Socket } from 'node:net'
import { AppError } from '../../domain/errors.ts'
import { readConfigurationBody } from '../../domain/workspaces/read-configuration-body.ts'
import { openChannel } from '../runner/channel.ts'

/** Reads configurations of one organization, one after the other. It communicates through descriptor 3 alone. */
const channel = openChannel(new Socket({ fd: 3 }))
// Not by `for await`, which would close the channel with the loop.
const frames = channel.frames[Symbol.asyncIterator]()

/** Undefined when the channel is closed. */
async function receive(): Promise<Buffer | undefined> {
  const pieces: Buffer[] = []
  for (let next = await frames.next(); !next.done; next = await frames.next()) {
    if (next.value.header.kind === 'blob_end') return Buffer.concat(pieces)
    pieces.push(Buffer.from(next.value.body))
  }
  return undefined
}

async function answer(body: Buffer): Promise<void> {
  const { text, names, ...read } = readConfigurationBody(body)
  await channel.send({ kind: 'read', ...read })
  await channel.sendBlob('names', Buffer.from(JSON.stringify(names)))
  await channel.sendBlob('text', Buffer.from(text))
}

for (let body = await receive(); body; body = await receive())
  await answer(body).catch(async (error: unknown) => {
    if (!(error instanceof AppError)) throw error
    const { message, code, details } = error
    await channel.send({ kind: 'refused', message, code, details })
  })
