import { connect } from 'node:net'

/**
 * Asks one address over some connections, each as soon as its answer is there, for some
 * milliseconds, and prints `{ count, perSecond, p50, p99, cpuMs }`. On bare sockets, in a process of its own:
 * what is measured shall not wait for what measures.
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
      // The head comes in one piece: it is far smaller than what a socket is read in.
      missing = (missing || lengthOf(chunk)) - chunk.length
      if (missing > 0) return
      tookMs.push(performance.now() - since)
      send()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve())
  })
}

/** Of a whole answer, by the piece that it begins with. */
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
