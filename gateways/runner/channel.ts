import { once } from 'node:events'
import type { Socket } from 'node:net'
import { encodeHead, maxBodyBytes, readFrames, type Frame, type Header } from './frames.ts'

export type Channel = {
  /**
   * Resolves when there is room for more; await it to bound what is buffered for a slow reader. A body may be read
   * later, so nobody may change it.
   */
  send(header: Header, body?: Buffer): Promise<void>
  /** Bytes of any length under a name, in pieces. */
  sendPieces(name: string, bytes: Buffer): Promise<void>
  /** The same, and marks the last piece. */
  sendBlob(name: string, bytes: Buffer): Promise<void>
  /** The other side's frames. The stream waits while a frame is handled. */
  frames: AsyncIterable<Frame>
  close(): void
}

/** The other side closed the channel. */
export class ChannelClosed extends Error {
  constructor() {
    super('The channel is closed')
  }
}

/** One end of the pipe between a worker and its runner. */
export function openChannel(socket: Socket): Channel {
  let drained: Promise<unknown> | undefined
  // A reader sees the end of the stream, and a sender gets the error from `send`.
  socket.on('error', () => socket.destroy())

  const send = async (header: Header, body?: Buffer): Promise<void> => {
    if (!socket.writable) throw new ChannelClosed()
    const head = encodeHead(header, body)
    // Both in one call to the kernel, and without a copy of the body.
    socket.cork()
    let hasRoom = socket.write(head)
    if (body) hasRoom = socket.write(body)
    socket.uncork()
    if (hasRoom) return
    drained ??= room(socket).finally(() => (drained = undefined))
    await drained
    if (!socket.writable) throw new ChannelClosed()
  }

  const sendPieces = async (name: string, bytes: Buffer): Promise<void> => {
    for (let at = 0; at < bytes.length; at += maxBodyBytes)
      await send({ kind: 'blob', name }, bytes.subarray(at, at + maxBodyBytes))
  }

  return {
    send,
    sendPieces,
    async sendBlob(name, bytes) {
      await sendPieces(name, bytes)
      await send({ kind: 'blob_end', name })
    },
    frames: readFrames(socket),
    close: () => socket.destroy(),
  }
}

/** Removes its listeners, since a long blob waits thousands of times. */
async function room(socket: Socket): Promise<void> {
  const over = new AbortController()
  const { signal } = over
  try {
    await Promise.race([once(socket, 'drain', { signal }), once(socket, 'close', { signal })])
  } finally {
    over.abort()
  }
}
