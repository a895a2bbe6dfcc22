import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import type { Server as HttpServer } from 'node:http'
import type { Server, Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { unavailable } from '../../domain/errors.ts'
import { systemFolders } from './system-folders.ts'

export const statePort = 8200
export const proxyPort = 8201
export const gitPort = 8202
export const cloudPort = 8203
export type Door = 'state' | 'proxy' | 'git' | 'cloud'
export type Doors = Record<Door, HttpServer | undefined>

const ports: Record<Door, number> = {
  state: statePort,
  proxy: proxyPort,
  git: gitPort,
  cloud: cloudPort,
}
const names: readonly Door[] = ['state', 'proxy', 'git', 'cloud']
const closed: Doors = { state: undefined, proxy: undefined, git: undefined, cloud: undefined }

/** A network namespace whose loopback has one listener per door, served by the worker. */
export type PrivateNetwork = {
  /** The command prefix that runs a program in this network. */
  enter(uid: number | undefined): string[]
  /** From now on connections go to these servers, or nowhere. */
  route(doors: Partial<Doors>): void
  close(): void
}

/**
 * A step's only network is a loopback of its own, without any process of the worker in it: a helper creates the
 * namespace, listens in it, passes its sockets to this process and ends. So connections of the step are served
 * here, by code that it cannot reach. The namespace holds nothing else and steps have no rights over it, so it
 * is reused by all runs of a slot, one after the other.
 */
export async function openPrivateNetwork(bwrap: string): Promise<PrivateNetwork> {
  const isRoot = process.getuid?.() === 0
  const helper = fileURLToPath(new URL('hand-over-listeners.mts', import.meta.url))
  const args = [
    // Root's namespace belongs to the host's user namespace: no step ever has rights over it.
    isRoot ? [] : ['--unshare-user'],
    ['--unshare-net', '--unshare-pid', '--die-with-parent', ...systemFolders()],
    ['--proc', '/proc', '--dev-bind', '/dev/null', '/dev/null'],
    ['--ro-bind', process.execPath, '/node', '--ro-bind', helper, '/helper.mts'],
    ['--clearenv', '--setenv', 'NODE_CHANNEL_FD', '3', '--info-fd', '4'],
    ['--', '/node', '/helper.mts', ...Object.values(ports).map(String)],
  ].flat()
  const child = spawn(bwrap, args, {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc', 'pipe'],
    timeout: 10_000,
    killSignal: 'SIGKILL',
    env: {},
  })
  try {
    const exited = failureOf(child)
    // stdio[4] was asked for as a pipe above.
    const info = readInfo(child.stdio[4] as Readable)
    const servers = new Map<unknown, Server>()
    const received = new Promise<void>((resolve) => {
      child.on('message', (port, handle) => {
        servers.set(port, (handle as Server).unref())
        if (servers.size === Object.keys(ports).length) resolve()
      })
    })
    const pid = await Promise.race([info, exited])
    await Promise.race([received, exited])
    exited.catch(() => {})
    const spaces = isRoot ? ['net'] : ['user', 'net']
    // An open descriptor keeps the namespace alive after its last process.
    const handles = spaces.map((space) => ({
      space,
      fd: openSync(`/proc/${pid}/ns/${space}`, 'r'),
    }))
    for (const port of servers.keys()) child.send(['held', port])
    child.disconnect()
    return privateNetwork(servers, handles)
  } catch (error) {
    child.kill('SIGKILL')
    throw unavailable('sandbox_unavailable', 'A private network could not be made', error)
  }
}

function privateNetwork(
  servers: ReadonlyMap<unknown, Server>,
  handles: ReadonlyArray<{ space: string; fd: number }>,
): PrivateNetwork {
  let doors = closed
  const sockets = new Set<Socket>()
  for (const [port, server] of servers)
    server.on('connection', (socket) => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      socket.on('error', () => socket.destroy())
      const name = names.find((one) => ports[one] === port)
      const door = name && doors[name]
      if (door) door.emit('connection', socket)
      else socket.destroy()
    })
  const paths = handles.map(({ space, fd }) => `--${space}=/proc/${process.pid}/fd/${fd}`)

  return {
    enter(uid) {
      const as = uid === undefined ? ['--preserve-credentials'] : ['-S', `${uid}`, '-G', `${uid}`]
      return ['/usr/bin/nsenter', ...paths, ...as, '--']
    },
    route(next) {
      doors = { ...closed, ...next }
      // A connection of the previous run must not reach the doors of the next one.
      for (const socket of sockets) socket.destroy()
    },
    close() {
      for (const server of servers.values()) server.close()
      for (const socket of sockets) socket.destroy()
      for (const { fd } of handles) closeSync(fd)
    },
  }
}

/** Rejects with the helper's last output once it has ended. */
async function failureOf(child: ChildProcess): Promise<never> {
  let words = ''
  child.stderr?.on('data', (chunk: Buffer) => (words += chunk.toString().slice(0, 4096)))
  const [code, signal] = await once(child, 'exit')
  throw new Error(`bwrap ended with ${signal ?? code}: ${words}`)
}

/** Keeps the pipe open: bwrap writes in pieces and would die of SIGPIPE, leaving its child waiting for ever. */
function readInfo(pipe: Readable): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = ''
    pipe.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      const pid = /"child-pid": *(\d+)/.exec(text)?.[1]
      if (pid) resolve(Number(pid))
    })
    pipe.once('end', () => reject(new Error('bwrap said nothing of its child')))
    pipe.once('error', reject)
  })
}
