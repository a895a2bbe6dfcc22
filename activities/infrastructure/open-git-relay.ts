import type { ModuleSource } from '../../domain/git/module-sources.ts'
import { relayAllowance, type RelayAllowance } from '../../domain/git/relay-allowance.ts'
import { lendToken } from '../../app/git/lend-token.ts'
import {
  createGitRelay,
  type GitRelay,
  type RelayCredentials,
} from '../../gateways/git/git-relay.ts'
import type { RelayHost } from '../../gateways/git/relay-environment.ts'
import type { Asks } from '../../gateways/runner/protocol.ts'
import { gitConnections, type GitConnection } from '../../store/git/git-connections.ts'
import type { Deps } from '../deps.ts'
import type { LoadedRun } from './load-run.ts'
import type { StageLog } from '../runs/stage-log.ts'

/** How many tokens are tried for one repository; each try costs a request. */
const maxTried = 10

/** The relay of one run: opened when its runner finds modules, and closed after `init`. */
export function relayForRun(deps: Deps, loaded: LoadedRun, log: StageLog) {
  let relay: RunRelay | undefined
  return {
    open: async (sources: readonly ModuleSource[]): Promise<RunRelay | undefined> => {
      relay = await openGitRelay(deps, { ...loaded, sources }, (level, line) => {
        // Not awaited: the log keeps its own order.
        log.append([{ level, line: line.slice(0, 4_096) }]).catch(() => undefined)
      })
      return relay
    },
    /** Adds what the run's modules name in turn; `all` when nothing is left to find. */
    async allow({ sources, all }: Asks['allow']['ask']): Promise<Asks['allow']['answer']> {
      relay?.allowance.add(sources)
      // Refusals so far were of look-ups, not of `init`.
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
 * Opens the relay through which a run's `init` reads private modules (docs/decisions/0074). Undefined if
 * the organization has no Git connection that could serve it.
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
  const hosts = await deps.store.tenant(organizationId, async (tenant) =>
    gitConnections(tenant).hosts(),
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
      const connections = await deps.store.tenant(organizationId, async (tenant) =>
        gitConnections(tenant).onHost(host),
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
    const lent = lendToken(keyring, organizationId, connection)
    if ('why' in lent) unusable.push(lent.why)
    // Several connections may share one token, each for a repository.
    else if (!tokens.has(lent.authorization)) tokens.set(lent.authorization, connection.id)
  }
  return {
    origin: first.origin,
    credentials: [...tokens]
      .slice(0, maxTried)
      .map(([authorization, connectionId]) => ({ authorization, connectionId })),
    unusable,
  }
}

/** Data Center's clone addresses have `/scm` before the name that its API uses. */
const isNamed = (repository: string, name: string) =>
  repository.replace(/^scm\//, '').toLowerCase() === name.toLowerCase()
