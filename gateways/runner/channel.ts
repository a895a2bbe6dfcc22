import { once } from 'node:events'
import type { Socket } from 'node:net'
import { encodeFrame, maxBodyBytes, readFrames, type Frame, type Header } from './frames.ts'

export type Channel = {
  /** Resolves when there is room for more, so that awaiting it bounds what is held for a slow reader. */
  send(header: Header, body?: Buffer): Promise<void>
  /** Bytes of any length under a name, in pieces. */
  sendPieces(name: string, bytes: Buffer): Promise<void>
  /** The same, and the receiver is told that this is all. */
  sendBlob(name: string, bytes: Buffer): Promise<void>
  /** What the other side sends, once: the stream waits while a frame is being handled. */
  frames: AsyncIterable<Frame>
  close(): void
}

/** The other side is gone, or is not listening any more. */
export class ChannelClosed extends Error {
  constructor() {
    super('The channel is closed')
  }
}

/** One end of the pipe between a worker and its runner. */
export function openChannel(socket: Socket): Channel {
  let drained: Promise<unknown> | undefined
  // A reader sees the end; whoever sends is told by `send`.
  socket.on('error', () => socket.destroy())

  const send = async (header: Header, body?: Buffer): Promise<void> => {
    if (!socket.writable) throw new ChannelClosed()
    if (socket.write(encodeFrame(header, body))) return
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

/** Takes its listeners with it: a long blob waits for room thousands of times. */
async function room(socket: Socket): Promise<void> {
  const over = new AbortController()
  const { signal } = over
  try {
    await Promise.race([once(socket, 'drain', { signal }), once(socket, 'close', { signal })])
  } finally {
    over.abort()
  }
}
