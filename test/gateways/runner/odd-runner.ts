// A faulty runner for tests. Its first argument selects the fault.
import { readFileSync, readlinkSync, readdirSync } from 'node:fs'
import { Socket } from 'node:net'
import { openChannel } from '../../../gateways/runner/channel.ts'

const [what] = process.argv.slice(2)
const socket = new Socket({ fd: 3 })
const channel = openChannel(socket)
socket.once('close', () => process.exit(0))

const jobs: Record<string, () => Promise<void> | void> = {
  async echo() {
    for await (const { header, body } of channel.frames) await channel.send(header, body)
  },
  async look() {
    const open = readdirSync('/proc/self/fd').map((fd) => {
      try {
        return `${fd} ${readlinkSync(`/proc/self/fd/${fd}`)}`
      } catch {
        return ''
      }
    })
    await channel.send({
      kind: 'seen',
      environ: readFileSync('/proc/self/environ', 'utf8'),
      cmdline: readFileSync('/proc/self/cmdline', 'utf8'),
      core: /Max core file size +(\S+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1],
      nice: Number(readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ')[16]),
      open,
    })
    await echoForEver()
  },
  async 'grow-heap'() {
    const kept: unknown[] = []
    for (;;) kept.push({ kept: kept.length })
  },
  async 'grow-buffers'() {
    const kept: Buffer[] = []
    for (;;) {
      kept.push(Buffer.alloc(8 * 1024 * 1024, 1))
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  },
  async oversize() {
    const prefix = Buffer.alloc(8)
    prefix.writeUInt32BE(0xffffffff, 0)
    socket.write(prefix)
    await echoForEver()
  },
  async 'no-kind'() {
    const json = '{"kind":7,"x":"tenant-bytes"}'
    const prefix = Buffer.alloc(8)
    prefix.writeUInt32BE(json.length, 0)
    socket.write(Buffer.concat([prefix, Buffer.from(json)]))
    await echoForEver()
  },
  unknown: async () => channel.send({ kind: 'tenant-bytes' }).then(echoForEver),
  async 'long-line'() {
    const line = 'tenant-bytes'.repeat(1_000)
    await channel.send({ kind: 'log', lines: [{ level: 'info', line }] })
    await echoForEver()
  },
  async 'asks-too-much'() {
    await channel.send({ kind: 'ask', id: 1, what: 'constructor', ask: 'tenant-bytes' })
    await echoForEver()
  },
  async 'bad-result'() {
    await channel.sendBlob('result', Buffer.from('tenant-bytes'))
    await channel.send({ kind: 'done' })
    await echoForEver()
  },
  async log() {
    await channel.send({ kind: 'log', lines: [{ level: 'info', line: 'x' }] })
    await echoForEver()
  },
  /** Reports its end before it has read anything, and reads nothing more. */
  async unread() {
    await channel.sendBlob('result', Buffer.from('{}'))
    await channel.send({ kind: 'done' })
    await new Promise(() => setInterval(() => undefined, 1_000))
  },
  async save() {
    await channel.send({
      kind: 'ask',
      id: 1,
      what: 'keepState',
      ask: { serial: 1, lineage: '', sha256: '' },
    })
    // Without `for await`, which would close the channel at the end of the loop.
    const frames = channel.frames[Symbol.asyncIterator]()
    while ((await frames.next()).value?.header.kind !== 'answer');
    await channel.sendBlob('result', Buffer.from('{}'))
    await channel.send({ kind: 'done' })
  },
  /** A compromised runner: it sends a state of an apply that has not started. */
  async 'save-unbegun'() {
    const ask = { serial: 1, lineage: 'forged', sha256: 'a'.repeat(64) }
    await channel.send({ kind: 'ask', id: 1, what: 'keepState', ask })
    const frames = channel.frames[Symbol.asyncIterator]()
    while ((await frames.next()).value?.header.kind !== 'answer');
    await channel.sendBlob('result', Buffer.from('{"begun":false}'))
    await channel.send({ kind: 'done' })
  },
  /** As a runner that was taken over: the success of an apply that it did not ask for. */
  async 'apply-unbegun'() {
    const result = { begun: true, how: 'exited', exitCode: 0, message: '' }
    await channel.sendBlob('result', Buffer.from(JSON.stringify(result)))
    await channel.send({ kind: 'done' })
  },
  leave: () => process.exit(0),
  async flood() {
    for (let count = 0; ; count += 1)
      await channel.send({ kind: 'blob', count }, Buffer.alloc(256 * 1024))
  },
}

const echoForEver = async () => {
  for await (const { header, body } of channel.frames) await channel.send(header, body)
}

await jobs[what ?? '']?.()
