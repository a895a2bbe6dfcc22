import { Socket } from 'node:net'
import { AppError } from '../../domain/errors.ts'
import { readConfigurationBody } from '../../domain/workspaces/read-configuration-body.ts'
import { openChannel } from '../runner/channel.ts'

/** Reads configurations of one organization, one after the other. It communicates through descriptor 3 alone. */
const channel = openChannel(new Socket({ fd: 3 }))
// Not by `for await`, which would close the channel with the loop.
const frames = channel.frames[Symbol.asyncIterator]()

type Asked = { body: Buffer; commit: string | undefined }

/** Undefined when the channel is closed. */
async function receive(): Promise<Asked | undefined> {
  const pieces: Buffer[] = []
  let commit: string | undefined
  for (let next = await frames.next(); !next.done; next = await frames.next()) {
    const { header } = next.value
    if (header.kind === 'blob_end') return { body: Buffer.concat(pieces), commit }
    if (header.kind === 'commit') commit = String(header['commit'])
    pieces.push(Buffer.from(next.value.body))
  }
  return undefined
}

async function answer({ body, commit }: Asked): Promise<void> {
  const { text, names, ...read } = readConfigurationBody(body, commit)
  await channel.send({ kind: 'read', ...read })
  await channel.sendBlob('names', Buffer.from(JSON.stringify(names)))
  await channel.sendBlob('text', Buffer.from(text))
}

for (let asked = await receive(); asked; asked = await receive())
  await answer(asked).catch(async (error: unknown) => {
    if (!(error instanceof AppError)) throw error
    const { message, code, details } = error
    await channel.send({ kind: 'refused', message, code, details })
  })
