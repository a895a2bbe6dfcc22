import { connect } from 'node:net'

/**
 * Sends requests to one address over several connections for some milliseconds, each as soon as the
 * previous answer arrives, and prints `{ count, perSecond, p50, p99, cpuMs }`. It uses bare sockets
 * in a separate process, so that the client does not slow the measured server.
 */
const [address = '', cookie = '', connections = '8', forMs = '2000'] = process.argv.slice(2)
const { hostname, port, pathname, search } = new URL(address)
const request = `GET ${pathname}${search} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n${cookie && `cookie: ${cookie}\r\n`}\r\n`
const tookMs: number[] = []
const until = performance.now() + Number(forMs)

function ask(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    socket.setNoDelay()
    let missing = 0
    let since = 0
    const send = () => {
      if (performance.now() >= until) {
        socket.destroy()
        return
      }
      missing = 0
      since = performance.now()
      socket.write(request)
    }
    socket.on('connect', send)
    socket.on('data', (chunk: Buffer) => {
      // The head arrives in one chunk, because it is far smaller than a socket's read buffer.
      missing = (missing || lengthOf(chunk)) - chunk.length
      if (missing > 0) return
      tookMs.push(performance.now() - since)
      send()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve())
  })
}

/** The length of a whole answer, computed from its first chunk. */
function lengthOf(chunk: Buffer): number {
  const end = chunk.indexOf('\r\n\r\n')
  const head = chunk.toString('latin1', 0, end)
  if (end < 0 || !head.startsWith('HTTP/1.1 200')) throw new Error(head.slice(0, 300))
  return end + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1])
}

const began = performance.now()
const cpuBefore = process.cpuUsage()
await Promise.all(Array.from({ length: Number(connections) }, ask))
const seconds = (performance.now() - began) / 1_000
tookMs.sort((a, b) => a - b)
const { user, system } = process.cpuUsage(cpuBefore)
const at = (share: number) => tookMs[Math.max(0, Math.ceil(tookMs.length * share) - 1)]
console.log(
  JSON.stringify({
    count: tookMs.length,
    perSecond: tookMs.length / seconds,
    p50: at(0.5),
    p99: at(0.99),
    cpuMs: (user + system) / 1_000 / tookMs.length,
  }),
)
