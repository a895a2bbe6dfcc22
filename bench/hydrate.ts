import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKeyring } from '../gateways/keyring/keyring.ts'
import { createOutbound } from '../gateways/outbound/outbound.ts'
import { bitbucketCloudPeer } from '../test/harness/git/bitbucket-cloud-peer.ts'
import { bitbucketDataCenterPeer } from '../test/harness/git/bitbucket-data-center-peer.ts'
import { connectDirectly } from '../test/harness/git/connect-directly.ts'
import type { GitPeer } from '../test/harness/git/git-peer.ts'
import { githubPeer } from '../test/harness/git/github-peer.ts'
import { gitlabPeer } from '../test/harness/git/gitlab-peer.ts'
import { benchConfig } from './config.ts'
import { bareCommit } from './bare-commit.ts'
import { median, table } from './figures.ts'
import { startPlatform, type Platform } from './start-platform.ts'

const rounds = benchConfig.rounds(5)
const fileCount = 1_000
/** The limit of calls for a hydration. Each changed file allows one more call. */
const mayCall = 12
const begun = { 'README.md': '# Infrastructure\n' }

type Side = { calls: number; commits: number; tookMs: number }
type Version = 'all are new' | 'one changed' | 'all changed'
const versions: Record<Version, { changed: number; text: (at: number) => string }> = {
  'all are new': { changed: fileCount, text: (at) => `# file ${at}\n` },
  'one changed': { changed: 1, text: (at) => (at === 7 ? '# edited\n' : `# file ${at}\n`) },
  'all changed': { changed: fileCount, text: (at) => `# file ${at} again\n` },
}
const filesOf = (version: Version): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: fileCount }, (_, at) => [
      // OpenTofu needs a file in the top folder.
      at === 0 ? 'main.tf' : `modules/m${at % 20}/file-${at}.tf`,
      versions[version].text(at),
    ]),
  )

/**
 * Measures the calls and the time of a configuration version at each provider, beside a bare client
 * that makes the same commit.
 */
export async function hydrateSuite(): Promise<boolean> {
  const makers = [githubPeer, gitlabPeer, bitbucketCloudPeer, bitbucketDataCenterPeer]
  const peers = await Promise.all(makers.map(async (make) => make()))
  const platform = await startPlatform((line) => console.log(line), {
    CC_PRIVATE_HOSTS: peers.map(({ server }) => `git=127.0.0.1:${server.port}`).join(','),
  })
  const rows = [
    ['provider', `of ${fileCount} files`, 'commits', 'calls', 'may be', 'took', '/ bare', ''],
  ]
  let good = true
  try {
    console.log(`${cpus().length} processors, ${rounds} rounds`)
    for (const peer of peers) {
      const measured = await measure(platform, peer)
      console.log(`${peer.product}: measured`)
      for (const [version, { changed }] of Object.entries(versions)) {
        // Every round has every version.
        const sides = measured.map((round) => round[version as Version])
        const calls = Math.max(...sides.map((side) => side.calls))
        const commits = sides.every((side) => side.commits === 1)
        const fits = commits && calls <= mayCall + changed
        good &&= fits
        const tookMs = median(sides.map((side) => side.tookMs))
        const ratio = median(
          measured.map((round) => round[version as Version].tookMs / round.bareMs),
        )
        rows.push([
          peer.product,
          version,
          commits ? '1' : 'NOT 1',
          String(calls),
          `${mayCall} + ${changed}`,
          `${tookMs.toFixed(0)} ms`,
          version === 'all are new' ? `${ratio.toFixed(1)} ×` : '',
          fits ? 'ok' : 'OVER',
        ])
      }
    }
  } finally {
    await platform.stop()
    for (const peer of peers) await peer.close()
  }
  console.log(`\n${table(rows)}\n`)
  return good
}

type Round = Record<Version, Side> & { bareMs: number }

/** Alternates with the bare client, so that other load on the machine affects both. */
async function measure(platform: Platform, peer: GitPeer): Promise<Round[]> {
  const measured: Round[] = []
  for (let round = 0; round < rounds; round += 1) {
    const bare = `acme/bare-${round}`
    await peer.createRepository(bare, begun)
    const bareMs = await bareCommit(peer, { repo: bare, files: filesOf('all are new') })
    const put = await connect(platform, peer, round)
    measured.push({
      bareMs,
      'all are new': await put('all are new'),
      'one changed': await put('one changed'),
      'all changed': await put('all changed'),
    })
  }
  return measured
}

async function connect(platform: Platform, peer: GitPeer, round: number) {
  const { store, config, call } = platform
  const repo = `acme/hydrated-${round}`
  await peer.createRepository(repo, begun)
  const { id: organizationId } = await store.platform('organizations').first('id')
  const deps = { store, keyring: createKeyring(config.keyring), outbound: createOutbound(config) }
  const connection = await connectDirectly(deps, organizationId, { peer, repo })
  await until(async () => {
    const { status } = await store.platform('git_connections').where({ id: connection }).first()
    return status === 'healthy'
  })
  const name = `${peer.product}-${round}`
  const made = await call('POST', '/workspaces', { name, gitConnectionId: connection })
  // The API's answer is assumed to have the documented shape.
  const { id } = made.body['workspace'] as { id: number }

  return async (version: Version): Promise<Side> => {
    const calls = peer.server.calls.length
    const commits = (await peer.messages(repo)).length
    await call('PUT', `/workspaces/${id}/configuration`, { files: filesOf(version) })
    const row = await until(async () => {
      const newest = await store
        .platform('git_hydrations')
        .where({ workspaceId: id })
        .max('id')
        .first()
      const found = await store.platform('git_hydrations').where({ id: newest?.['max'] }).first()
      if (found.state !== 'queued' && found.state !== 'written')
        throw new Error(`${repo}: ${found.state}, ${found.reason}`)
      return found.state === 'written' && found
    })
    return {
      calls: peer.server.calls.length - calls,
      commits: (await peer.messages(repo)).length - commits,
      tookMs: row.endedAt - row.createdAt,
    }
  }
}

async function until<T>(look: () => Promise<T | false>): Promise<T> {
  for (const giveUpAt = Date.now() + 600_000; ;) {
    const found = await look()
    if (found) return found
    if (Date.now() > giveUpAt) throw new Error('it never came')
    await sleep(20)
  }
}
