import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { invalid, unavailable } from '../../domain/errors.ts'
import { createEgressProxy } from '../outbound/egress-proxy.ts'
import type { SandboxOptions } from './create-sandbox.ts'
import { folderSize } from './folder-size.ts'
import { insideFolder } from './inside-folder.ts'
import { killUid } from './kill-uid.ts'
import type { Launcher } from './launch.ts'
import {
  type Doors,
  gitPort,
  type PrivateNetwork,
  proxyPort,
  statePort,
} from './open-private-network.ts'
import type { PooledSlot } from './slot-pool.ts'
import { createStateDoor } from './state-door.ts'
import { superviseStep, type Watch } from './supervise-step.ts'
import { makeWorkFolder, removeWorkFolder } from './work-folder.ts'
import type { Sandbox, Step, Workbench } from './workbench.ts'

export type WorkbenchHost = SandboxOptions & {
  launch: Launcher
  notes: string[]
  ca: readonly string[] | undefined
  graceMs: number
}
type OpenRequest = Parameters<Sandbox['open']>[0]

/** A workbench in this slot, and a promise that settles once nothing of it is left. */
export async function openWorkbench(
  host: WorkbenchHost,
  slot: PooledSlot,
  request: OpenRequest,
): Promise<{ workbench: Workbench; closed: Promise<void> }> {
  const doors = makeDoors(host, request)
  const network = await slot.network()
  const urls = network ? insideUrls(network, doors) : await loopbackUrls(doors)
  const folder = await makeWorkFolder(host.workDir, slot, request.sizeBytes)
  if (!folder.hasQuota && slot.uid !== undefined) noteOnce(host)

  const files = insideFolder(folder.path, slot.uid)
  const watch: Watch = { graceMs: host.graceMs }
  if (!folder.hasQuota)
    watch.isOverQuota = async () => (await folderSize(folder.path)) > request.sizeBytes
  const closing = new AbortController()
  const running = new Set<Promise<unknown>>()
  const settled = Promise.withResolvers<void>()
  let closed: Promise<void> | undefined

  const start = async (step: Step) => {
    const program = host.programs[step.program]
    if (!program) throw unavailable('no_program', `This worker has no ${step.program}`)
    if (closing.signal.aborted) throw unavailable('workbench_closed', 'The workbench is closed')
    await checkFolders(files, step)
    const signal = step.signal ? AbortSignal.any([step.signal, closing.signal]) : closing.signal
    if (signal.aborted) return canceled
    const enterNetwork = step.network === 'run' && network ? network.enter(slot.uid) : []
    const launched = host.launch({ root: folder.path, uid: slot.uid, program, enterNetwork }, step)
    if (launched.child.pid !== undefined) step.onSpawn?.(launched.child.pid)
    return superviseStep(launched, { ...step, signal }, watch)
  }

  const workbench: Workbench = {
    ...urls,
    inside: (path) => join(host.kind === 'bubblewrap' ? '/bench' : folder.path, path),
    write: files.write,
    makeFolder: files.makeFolder,
    read: files.read,
    async run(step) {
      const end = start(step)
      running.add(end)
      try {
        return await end
      } finally {
        running.delete(end)
      }
    },
    close() {
      closed ??= (async () => {
        closing.abort()
        // A step that has ended left nobody: superviseStep waited for that.
        if (running.size > 0) await killUid(slot.uid)
        await Promise.allSettled(running)
        network?.route({})
        for (const door of [doors.state, doors.proxy, doors.git]) {
          door?.closeAllConnections()
          if (door?.listening) door.close()
        }
        await removeWorkFolder(folder.path)
      })().finally(settled.resolve)
      return closed
    },
  }
  return { workbench, closed: settled.promise }
}

const canceled = {
  how: 'canceled',
  exitCode: null,
  signal: null,
  stdout: Buffer.alloc(0),
} as const

function makeDoors(host: WorkbenchHost, request: OpenRequest) {
  const { privateHosts, lookup, onHost } = host.outbound
  const state =
    request.statePath === undefined
      ? undefined
      : createStateDoor({ apiUrl: host.apiUrl, statePath: request.statePath, ca: host.ca })
  const proxy = createEgressProxy({
    use: 'cloud',
    rules: lookup ? { privateHosts, lookup } : { privateHosts },
    onHost(name, port, allowed) {
      host.log.info({ label: request.label, host: name, port, allowed }, 'a run asked for a host')
      onHost?.(request.label, `${name}:${port}`, allowed)
    },
  })
  return { state, proxy, git: request.gitRelay, path: request.statePath ?? '' }
}

type MadeDoors = Doors & { path: string }

function insideUrls(network: PrivateNetwork, doors: MadeDoors) {
  network.route(doors)
  return {
    stateUrl: `http://127.0.0.1:${statePort}${doors.path}`,
    proxyUrl: `http://127.0.0.1:${proxyPort}`,
    gitUrl: `http://127.0.0.1:${gitPort}`,
  }
}

async function loopbackUrls(doors: MadeDoors) {
  const listen = async (server: Server | undefined) => {
    if (!server) return 'http://127.0.0.1:9'
    await once(server.listen(0, '127.0.0.1'), 'listening')
    // A TCP server's address is no pipe's name.
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  return {
    stateUrl: (await listen(doors.state)) + doors.path,
    proxyUrl: await listen(doors.proxy),
    gitUrl: await listen(doors.git),
  }
}

/**
 * bwrap resolves what it mounts on the host: a step that put a link to `/etc` where the
 * next one has a read-only folder would be given the host's. And only folders at the top
 * are taken: the parent of a deeper one could be renamed, and another put in its place.
 */
async function checkFolders(files: ReturnType<typeof insideFolder>, step: Step): Promise<void> {
  for (const folder of step.readOnly ?? []) {
    if (!/^[A-Za-z0-9._-]+$/.test(folder)) throw invalid('A read-only folder lies at the top')
    await files.requireFolder(folder)
  }
  await files.requireFolder(step.cwd)
}

function noteOnce(host: WorkbenchHost): void {
  const note = 'A tmpfs could not be mounted: a watch holds the size of work folders'
  if (host.notes.includes(note)) return
  host.notes.push(note)
  host.log.warn({}, note)
}
