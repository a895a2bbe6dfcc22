import type { ModuleSource } from '../../domain/git/module-sources.ts'
import { relayAllowance, type RelayAllowance } from '../../domain/git/relay-allowance.ts'
import { gitAuthorization } from '../../gateways/git/git-authorization.ts'
import {
  createGitRelay,
  type GitRelay,
  type RelayCredentials,
} from '../../gateways/git/git-relay.ts'
import type { RelayHost } from '../../gateways/git/relay-environment.ts'
import type { Asks } from '../../gateways/runner/protocol.ts'
import {
  gitConnections,
  placeOfToken,
  type GitConnection,
} from '../../store/git/git-connections.ts'
import type { Deps } from '../deps.ts'
import type { LoadedRun } from './load-run.ts'
import type { StageLog } from './stage-log.ts'

/** So many tokens are tried for one repository, each of which costs a request. */
const maxTried = 10

/** The relay of one run: opened when its runner finds modules, and closed after `init`. */
export function relayForRun(deps: Deps, loaded: LoadedRun, log: StageLog) {
  let relay: RunRelay | undefined
  return {
    open: async (sources: readonly ModuleSource[]): Promise<RunRelay | undefined> => {
      relay = await openGitRelay(deps, { ...loaded, sources }, (level, line) => {
        // The log keeps its order by itself, and nobody here could wait for it.
        log.append([{ level, line: line.slice(0, 4_096) }]).catch(() => undefined)
      })
      return relay
    },
    /** What the modules of the run name in turn, and whether that is all. */
    async allow({ sources, all }: Asks['allow']['ask']): Promise<Asks['allow']['answer']> {
      relay?.allowance.add(sources)
      // What was refused until now was only looked for.
      if (all) relay?.forgetRefusals()
      return {}
    },
    close(): { refusal?: string | undefined } {
      relay?.close()
      return { refusal: relay?.refusal() }
    },
  }
}

/**
 * The relay by which a run's `init` reads private modules (decisions/0074). Undefined where there
 * is no Git connection that it could be asked by.
 */
async function openGitRelay(
  deps: Pick<Deps, 'store' | 'keyring' | 'outbound'>,
  {
    organizationId,
    workspace,
    sources,
  }: Pick<LoadedRun, 'organizationId' | 'workspace'> & { sources: readonly ModuleSource[] },
  say: (level: 'info' | 'warn', line: string) => void,
): Promise<RunRelay | undefined> {
  const hosts = await deps.store.tenant(organizationId, async (db) =>
    gitConnections(db, organizationId).hosts(),
  )
  if (hosts.length === 0) return undefined
  const allowance = relayAllowance(sources)
  const relay = createGitRelay({
    outbound: deps.outbound,
    hosts,
    allowance,
    onFetch: (host, repository, id) =>
      say(
        'info',
        `Reading ${host}/${repository} ${id === null ? 'without a credential' : `by Git connection ${id}`}.`,
      ),
    onRefuse: (text) => say('warn', text),
    async credentialsFor(host, repository) {
      const connections = await deps.store.tenant(organizationId, async (db) =>
        gitConnections(db, organizationId).onHost(host),
      )
      return credentialsOf(deps, { organizationId, connections, repository, workspace })
    },
  })
  return { ...relay, allowance, hosts }
}

export type RunRelay = GitRelay & { allowance: RelayAllowance; hosts: readonly RelayHost[] }

type Found = {
  organizationId: number
  connections: readonly GitConnection[]
  repository: string
  workspace: LoadedRun['workspace']
}

function credentialsOf(
  { keyring }: Pick<Deps, 'keyring'>,
  found: Found,
): RelayCredentials | undefined {
  const { organizationId, connections, repository, workspace } = found
  const [first] = connections
  if (!first) return undefined
  const rank = ({ id, defaultRepo }: GitConnection) =>
    defaultRepo && isNamed(repository, defaultRepo) ? 0 : id === workspace.gitConnectionId ? 1 : 2
  const tokens = new Map<string, number>()
  const unusable: string[] = []
  for (const connection of connections.toSorted((a, b) => rank(a) - rank(b))) {
    const { id, status, statusReason, token } = connection
    if (!usable.has(status)) {
      unusable.push(`Git connection ${id} is ${status}${statusReason ? `: ${statusReason}` : '.'}`)
      continue
    }
    const plain = keyring.open(placeOfToken(organizationId), token).toString()
    const authorization = gitAuthorization(connection.product, plain)
    // Several connections may have one token, a repository each.
    if (!tokens.has(authorization)) tokens.set(authorization, id)
  }
  return {
    origin: first.origin,
    credentials: [...tokens]
      .slice(0, maxTried)
      .map(([authorization, connectionId]) => ({ authorization, connectionId })),
    unusable,
  }
}

/** What is being prepared or in error is the branch: the token was taken. */
const usable = new Set<GitConnection['status']>(['healthy', 'initializing', 'error'])

/** Data Center has `/scm` before the name that its API goes by. */
const isNamed = (repository: string, name: string) =>
  repository.replace(/^scm\//, '').toLowerCase() === name.toLowerCase()
