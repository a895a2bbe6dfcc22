import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { freePort } from './create-harness.ts'

export type CuttableLink = {
  /** `host:port` to connect to instead of the target. */
  address: string
  /** Ends all connections and refuses new ones. */
  cut(): Promise<void>
  mend(): Promise<void>
  close(): Promise<void>
}

/** A TCP proxy that a test can cut, so that a server is unreachable for one test file only. */
export async function cuttableLink(target: string): Promise<CuttableLink> {
  const [host = '', targetPort] = target.split(':')
  const port = await freePort()
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(targetPort), host)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  const mend = async () => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  const cut = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  await mend()
  return { address: `127.0.0.1:${port}`, cut, mend, close: cut }
}
