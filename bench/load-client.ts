import { connect } from 'node:net'

/**
 * Asks one address over some connections, each as soon as its answer is there, for some
 * milliseconds, and prints `{ perSecond, p50, p99 }`. On bare sockets, in a process of its own:
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
    let text = ''
    let since = 0
    const send = () => {
      if (performance.now() >= until) {
        socket.destroy()
        return
      }
      text = ''
      since = performance.now()
      socket.write(request)
    }
    socket.on('connect', send)
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      const head = text.indexOf('\r\n\r\n')
      if (head < 0) return
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1])
      if (text.length < head + 4 + length) return
      if (!text.startsWith('HTTP/1.1 200')) {
        socket.destroy(new Error(text.slice(0, 300)))
        return
      }
      tookMs.push(performance.now() - since)
      send()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve())
  })
}

const began = performance.now()
await Promise.all(Array.from({ length: Number(connections) }, ask))
const seconds = (performance.now() - began) / 1_000
tookMs.sort((a, b) => a - b)
const at = (share: number) => tookMs[Math.max(0, Math.ceil(tookMs.length * share) - 1)]
console.log(JSON.stringify({ perSecond: tookMs.length / seconds, p50: at(0.5), p99: at(0.99) }))
