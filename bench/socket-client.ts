import { connect, type Socket } from 'node:net'
import { once } from 'node:events'

export type SocketAnswer = { status: number; body: string; tookMs: number }

/**
 * One connection over a bare socket that sends one request at a time. A client with little overhead
 * distorts the measurement less.
 */
export class SocketClient {
  readonly #socket: Socket
  readonly #head: string
  #answer: ((answer: SocketAnswer) => void) | undefined
  #fail: ((error: Error) => void) | undefined
  #text = ''
  #since = 0

  static async open(address: string, headers: Record<string, string>): Promise<SocketClient> {
    const { hostname, port } = new URL(address)
    const socket = connect(Number(port), hostname)
    socket.setNoDelay()
    await once(socket, 'connect')
    return new SocketClient(socket, { host: `${hostname}:${port}`, ...headers })
  }

  private constructor(socket: Socket, headers: Record<string, string>) {
    this.#socket = socket
    this.#head = Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => this.#read(chunk))
    socket.on('error', (error) => this.#fail?.(error))
    socket.on('close', () => this.#fail?.(new Error('the connection was closed')))
  }

  async ask(method: string, path: string, body?: unknown): Promise<SocketAnswer> {
    const text = body === undefined ? '' : JSON.stringify(body)
    const about =
      body === undefined
        ? ''
        : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`
    this.#text = ''
    this.#since = performance.now()
    return new Promise((resolve, reject) => {
      this.#answer = resolve
      this.#fail = reject
      this.#socket.write(`${method} ${path} HTTP/1.1\r\n${this.#head}${about}\r\n${text}`)
    })
  }

  close(): void {
    this.#fail = undefined
    this.#socket.destroy()
  }

  #read(chunk: string): void {
    this.#text += chunk
    const end = this.#text.indexOf('\r\n\r\n')
    if (end < 0) return
    const length = Number(/content-length: (\d+)/i.exec(this.#text.slice(0, end))?.[1] ?? 0)
    if (this.#text.length < end + 4 + length) return
    const status = Number(this.#text.slice(9, 12))
    const tookMs = performance.now() - this.#since
    this.#answer?.({ status, body: this.#text.slice(end + 4), tookMs })
  }
}
