import { moduleSources } from '../../domain/git/module-sources.ts'
import { relayAllowance } from '../../domain/git/relay-allowance.ts'
import { mentionsModules } from '../../domain/workspaces/mentions-modules.ts'
import { gitAuthorization } from '../../gateways/git/git-authorization.ts'
import {
  createGitRelay,
  type GitRelay,
  type RelayCredentials,
} from '../../gateways/git/git-relay.ts'
import type { Workbench } from '../../gateways/sandbox/workbench.ts'
import {
  gitConnections,
  placeOfToken,
  type GitConnection,
} from '../../store/git/git-connections.ts'
import type { Deps } from '../deps.ts'
import { learnModuleSources } from './learn-module-sources.ts'
import type { LoadedRun } from './load-run.ts'

/** So many tokens are tried for one repository, each of which costs a request. */
const maxTried = 10

/**
 * The relay by which a run's `init` reads private modules (decisions/0074). Undefined where there
 * is nothing that it could be asked: no modules, or no Git connection.
 */
export async function openGitRelay(
  deps: Pick<Deps, 'store' | 'keyring' | 'outbound'>,
  loaded: Pick<LoadedRun, 'organizationId' | 'files' | 'workspace'>,
  say: (level: 'info' | 'warn', line: string) => void,
): Promise<RunRelay | undefined> {
  const { organizationId, files, workspace } = loaded
  if (!mentionsModules(files)) return undefined
  const hosts = await deps.store.tenant(organizationId, async (db) =>
    gitConnections(db, organizationId).hosts(),
  )
  if (hosts.length === 0) return undefined
  const allowance = relayAllowance(moduleSources(codeOf(files)))
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
  return {
    ...relay,
    async learn(bench, signal) {
      await learnModuleSources({ bench, relay, allowance, hosts, signal })
      relay.forgetRefusals()
    },
  }
}

export type RunRelay = GitRelay & {
  /** Before anything of the author's runs: which repositories the modules name in turn. */
  learn(bench: Workbench, signal: AbortSignal): Promise<void>
}

const codeOf = (files: LoadedRun['files']): string[] =>
  Object.entries(files).flatMap(([path, text]) =>
    /\.(tf|tofu)(\.json)?$/.test(path) ? [text] : [],
  )

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
