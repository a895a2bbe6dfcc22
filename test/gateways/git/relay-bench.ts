import { moduleSources } from '../../../domain/git/module-sources.ts'
import { relayAllowance } from '../../../domain/git/relay-allowance.ts'
import { gitAuthorization } from '../../../gateways/git/git-authorization.ts'
import {
  createGitRelay,
  type GitRelay,
  type RelayCredentials,
} from '../../../gateways/git/git-relay.ts'
import { createOutbound } from '../../../gateways/outbound/outbound.ts'
import type { Workbench } from '../../../gateways/sandbox/workbench.ts'
import { gitlabPeer } from '../../harness/git/gitlab-peer.ts'
import { sh, shellSandbox } from '../sandbox/shell-sandbox.ts'

type Options = {
  tokens?: string[]
  unusable?: string[]
  gone?: () => boolean
  opened?: boolean
  /** The repositories that the run's module sources name. */
  named?: string[]
}
type Run = { relay: GitRelay; bench: Workbench; env: Record<string, string> }

const usual = ['acme/mods', 'acme/nosuch', 'acme/sub']

/** A Git host with a private repository, and sandboxes with a relay to it. */
export async function relayBench(kind: 'bubblewrap' | 'process') {
  const peer = await gitlabPeer()
  await peer.createRepository('acme/mods', {
    'net/main.tf': '# private\n',
    'run.sh': 'echo hi\n',
  })
  const host = `127.0.0.1:${peer.server.port}`
  const token = peer.token('read')
  const shell = await shellSandbox({ kind })
  const fetched: string[] = []
  const refusals: string[] = []

  return {
    peer,
    host,
    token,
    fetched,
    refusals,
    forget: () => {
      peer.server.calls.length = 0
      peer.server.fault = () => undefined
      fetched.length = 0
      refusals.length = 0
    },
    open: async (options: Options = {}): Promise<Run> => {
      const { tokens = [token], unusable = [], gone, opened = true, named = usual } = options
      const [name = '', port = ''] = host.split(':')
      const relay = createGitRelay({
        outbound: createOutbound({
          privateHosts: opened ? [{ use: 'git', host: name, port: Number(port) }] : [],
        }),
        hosts: [{ host, origin: `http://${host}`, product: 'gitlab' }],
        allowance: relayAllowance(
          moduleSources(named.map((one) => `source = "git::http://${host}/${one}"`)),
        ),
        onRefuse: (text) => refusals.push(text),
        onFetch: (at, repository, id) => fetched.push(`${at}/${repository} ${id}`),
        async credentialsFor(): Promise<RelayCredentials | undefined> {
          if (gone?.()) return undefined
          const credentials = tokens.map((one, index) => ({
            connectionId: index + 1,
            authorization: gitAuthorization('gitlab', one),
          }))
          return { origin: `http://${host}`, credentials, unusable }
        },
      })
      const bench = await shell.open({ gitRelay: relay.server, sizeBytes: 64 * 1024 * 1024 })
      return { relay, bench, env: relay.environment(bench.gitUrl, {}) }
    },
    inside: async ({ bench, env }: Pick<Run, 'bench' | 'env'>, script: string) =>
      sh(bench, script, {
        network: 'run',
        env: {
          PATH: '/usr/bin:/bin',
          HOME: bench.inside('home'),
          GIT_TERMINAL_PROMPT: '0',
          GIT_AUTHOR_NAME: 'x',
          GIT_AUTHOR_EMAIL: 'x@x',
          GIT_COMMITTER_NAME: 'x',
          GIT_COMMITTER_EMAIL: 'x@x',
          ...env,
        },
      }),
    /** The relay's address for this run's repositories of the host. */
    base: ({ relay, bench }: Run) =>
      String(relay.environment(bench.gitUrl, {})['GIT_CONFIG_KEY_0'])
        .replace(/^url\./, '')
        .replace(/\.insteadOf$/, ''),
    close: async () => {
      await shell.close()
      await peer.close()
    },
  }
}

export type RelayBench = Awaited<ReturnType<typeof relayBench>>
