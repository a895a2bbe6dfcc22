import { Socket } from 'node:net'
import { AppError } from '../../domain/errors.ts'
import { assembleFiles, changeFiles } from '../../domain/workspaces/assemble-files.ts'
import type { ConfigurationFiles } from '../../domain/workspaces/configuration-files.ts'
import { readConfigurationBody } from '../../domain/workspaces/read-configuration-body.ts'
import { openChannel } from '../runner/channel.ts'
import type { AskedFiles, ReadAnswer } from './read-configuration.ts'

/** Reads configurations of one organization, one after the other. It communicates through descriptor 3 alone. */
const channel = openChannel(new Socket({ fd: 3 }))
// Not by `for await`, which would close the channel with the loop.
const frames = channel.frames[Symbol.asyncIterator]()

type Asked = { ask: AskedFiles; blobs: ReadonlyMap<string, Buffer> }

/** Undefined when the channel is closed. */
async function receive(): Promise<Asked | undefined> {
  const pieces = new Map<string, Buffer[]>()
  for (let next = await frames.next(); !next.done; next = await frames.next()) {
    const { header, body } = next.value
    const name = String(header['name'])
    if (header.kind === 'blob') {
      if (!pieces.has(name)) pieces.set(name, [])
      pieces.get(name)?.push(Buffer.from(body))
    } else if (header.kind === 'read') {
      const blobs = new Map([...pieces].map(([key, parts]) => [key, Buffer.concat(parts)]))
      // Written by read-configuration.ts, in this shape.
      return { ask: header as unknown as AskedFiles, blobs }
    }
  }
  return undefined
}

function read({ ask, blobs }: Asked): ReadAnswer {
  const bytesOf = (name: string) => blobs.get(name) ?? Buffer.alloc(0)
  if (ask.of === 'body') return { ...readConfigurationBody(bytesOf('body')), unchanged: false }
  // Written by read-configuration.ts and create-version.ts, in these shapes.
  const jsonOf = (name: string): unknown => JSON.parse(bytesOf(name).toString())
  const earlier = blobs.has('earlier') ? (jsonOf('earlier') as ConfigurationFiles) : undefined
  if (ask.of === 'changes') {
    const changes = jsonOf('changes') as Array<[string, string | null]>
    return { ...changeFiles(earlier ?? {}, changes), unchanged: false }
  }
  const listed = new Map(jsonOf('listed') as Array<[string, string]>)
  const contents = new Map<string, Uint8Array>()
  let at = 0
  for (const [blob, length] of jsonOf('lengths') as Array<[string, number]>)
    contents.set(blob, bytesOf('contents').subarray(at, (at += length)))
  return assembleFiles(earlier, { listed, contents }, ask.commit)
}

async function answer(asked: Asked): Promise<void> {
  const { text, names, blobs, ...known } = read(asked)
  await channel.send({ kind: 'read', ...known })
  await channel.sendBlob('names', Buffer.from(JSON.stringify({ names, blobs })))
  await channel.sendBlob('text', Buffer.from(text))
}

for (let asked = await receive(); asked; asked = await receive())
  await answer(asked).catch(async (error: unknown) => {
    if (error instanceof AppError) {
      const { message, code, details } = error
      return channel.send({ kind: 'refused', message, code, details })
    }
    return channel.send({ kind: 'failed', name: error instanceof Error ? error.name : 'Error' })
  })
