import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { basename } from 'node:path'
import { createEgressProxy } from '../outbound/egress-proxy.ts'
import { removeCgroups } from './cgroup.ts'
import type { SandboxOptions } from './sandbox-options.ts'
import { killUid } from './kill-uid.ts'
import type { LauncherHost } from './launcher-host.ts'
import {
  cloudPort,
  type Doors,
  gitPort,
  type PrivateNetwork,
  proxyPort,
  statePort,
} from './open-private-network.ts'
import type { PooledSlot } from './slot-pool.ts'
import { createStateDoor } from './state-door.ts'
import { makeWorkFolder, removeWorkFolder } from './work-folder.ts'
import type { Loan, OpenOptions } from './workbench.ts'

export type WorkbenchHost = SandboxOptions & {
  launcher: LauncherHost
  notes: string[]
  ca: readonly string[] | undefined
  graceMs: number
}

/** Opens a workbench in this slot for some process, and a promise that settles once nothing of it is left. */
export async function lendWorkbench(
  host: WorkbenchHost,
  slot: PooledSlot,
  request: OpenOptions,
): Promise<{ loan: Loan; closed: Promise<void> }> {
  const doors = makeDoors(host, request)
  const network = await slot.network()
  const urls = network ? insideUrls(network, doors) : await loopbackUrls(doors)
  const folder = await makeWorkFolder(host, slot, request.sizeBytes)
  if (!folder.hasQuota && slot.uid !== undefined && !host.onDisk) noteOnce(host)

  const settled = Promise.withResolvers<void>()
  let closed: Promise<void> | undefined
  const loan: Loan = {
    grant: {
      launcher: host.launcher,
      root: folder.path,
      uid: slot.uid ?? null,
      programs: host.programs,
      enterNetwork: network?.enter(slot.uid) ?? [],
      urls,
      graceMs: host.graceMs,
      quotaBytes: folder.hasQuota ? null : request.sizeBytes,
      tmpfsBytes: folder.hasQuota ? request.sizeBytes : 0,
    },
    close(how) {
      closed ??= (async () => {
        if (how?.lost) {
          await killUid(slot.uid)
          await removeStepGroups(host.launcher, folder.path)
        }
        network?.route({})
        for (const door of [doors.state, doors.proxy, doors.git, doors.cloud]) {
          door?.closeAllConnections()
          if (door?.listening) door.close()
        }
        await removeWorkFolder(folder.path)
      })().finally(settled.resolve)
      return closed
    },
  }
  return { loan, closed: settled.promise }
}

function makeDoors(host: WorkbenchHost, request: OpenOptions) {
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
  const { gitRelay: git, cloudDoor: cloud } = request
  return { state, proxy, git, cloud, path: request.statePath ?? '' }
}

type MadeDoors = Doors & { path: string }

function insideUrls(network: PrivateNetwork, doors: MadeDoors) {
  network.route(doors)
  return {
    stateUrl: `http://127.0.0.1:${statePort}${doors.path}`,
    proxyUrl: `http://127.0.0.1:${proxyPort}`,
    gitUrl: `http://127.0.0.1:${gitPort}`,
    cloudUrl: `http://127.0.0.1:${cloudPort}`,
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
    cloudUrl: await listen(doors.cloud),
  }
}

function noteOnce(host: WorkbenchHost): void {
  const note = 'A tmpfs could not be mounted: a watch holds the size of work folders'
  if (host.notes.includes(note)) return
  host.notes.push(note)
  host.log.warn({}, note)
}

/** Kills the steps of a borrower that is gone, if a cgroup identifies them. */
async function removeStepGroups(launcher: LauncherHost, folder: string): Promise<void> {
  if (launcher.kind !== 'bubblewrap' || launcher.cgroups === null) return
  await removeCgroups(launcher.cgroups, `${basename(folder)}-`)
}
