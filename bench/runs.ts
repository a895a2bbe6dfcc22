import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret } from '../config.ts'
import { connectOwner } from '../store/driver/connect.ts'
import { startTestEngines } from '../test/setup/engines.ts'
import { benchConfig } from './config.ts'
import { measureLists } from './measure-lists.ts'
import { seedListedRuns } from './seed-listed-runs.ts'
import { startApi, type BenchApi } from './start-api.ts'

const rounds = benchConfig.rounds(40)
const maxMs = 30
/** Of the charts, which the console asks for every two minutes. */
const maxHistoryMs = 100
const runs = 100_000 * benchConfig.scale
const size = { pipelines: 500, runs, people: 100, entries: 1 }

const filters = {
  none: '',
  running: 'state=running',
  failed: 'state=failed',
  succeeded: 'state=succeeded',
  'succeeded or canceled': 'state=succeeded&state=canceled',
  'reason, rare': 'reason=policy_denied',
  'reason, of none': 'reason=plan_forged',
  'waits for approval': 'awaitingApproval=true',
  mine: 'mine=true',
  'running, not waiting': 'state=running&awaitingApproval=false',
  'kind plan': 'kind=plan',
  workspace: 'workspaceId=<workspace>',
  'workspace, failed': 'workspaceId=<workspace>&state=failed',
  pipeline: 'pipelineId=<pipeline>',
  'label, of a twentieth': 'label=team%3D7',
  'label, of one workspace': 'label=only%3Done',
  'label, of none': 'label=only%3Dnone',
  'label, failed': 'label=team%3D7&state=failed',
  author: 'author=<author>',
  'author, failed': 'author=<author>&state=failed',
  'author of none': 'author=2147483647',
  'origin push': 'origin=push',
  'origin, of one': 'origin=drift',
  'origin, of none': 'origin=schedule',
  'from, a day': 'from=<yesterday>',
  'to, half of all': 'to=<middle>',
  'from and to, a day': 'from=<middle>&to=<after>',
  'q, of all': 'q=ws',
  'q, of one workspace': 'q=ws-333',
  'q, messages': 'q=release',
  'q, one message': 'q=needle',
  'q, of none': 'q=no-such-thing',
  'failed, push, q': 'state=failed&origin=push&q=release',
  'failed, q of none': 'state=failed&q=no-such-thing',
  'author, q, from': 'author=<author>&q=release&from=<middle>',
}

/** Each filter of the list of runs over all workspaces, on 100,000 runs: first and tenth page. */
export async function runsSuite(): Promise<boolean> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cc-bench-runs-'))
  const engines = await startTestEngines({ temporal: false })
  const closing: Array<() => Promise<void>> = []
  try {
    console.log(`${cpus().length} processors, ${rounds} rounds; storing ${runs} runs`)
    const api = await startApi({ databaseUrl: engines.databaseUrl, name: 'bench', dataDir }, size)
    closing.push(api.stop)
    const owner = connectOwner(new Secret(api.databaseUrl))
    await seedListedRuns(owner)
    await owner.raw(`update workspaces set labels = jsonb_build_object('team', (id % 20)::text)
      || case when id = (select max(id) from workspaces) then '{"only":"one"}'::jsonb else '{}' end`)
    await owner.raw('vacuum analyze workspace_labels')
    // Of the middle: neither the first nor the last that was stored.
    const { rows } = await owner.raw(`select
      (select id from workspaces order by id offset 250 limit 1) as workspace,
      (select id from pipelines order by id offset 250 limit 1) as pipeline,
      (select min(id) + 50 from users) as author`)
    await owner.destroy()
    return await measure(api, rows[0])
  } finally {
    for (const close of closing) await close()
    await engines.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function measure(api: BenchApi, ids: Record<string, number>): Promise<boolean> {
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  const middle = (runs * 5) / 60 / 24 / 2
  const values: Record<string, string | number> = {
    ...ids,
    yesterday: daysAgo(1),
    middle: daysAgo(middle),
    after: daysAgo(middle - 1),
  }
  const named = Object.entries(filters).map(([name, filter]) => [
    name,
    filter.replaceAll(/<(\w+)>/g, (_all, key: string) => String(values[key])),
  ])
  const isListQuick = await measureLists(api, {
    path: '/api/runs',
    filters: Object.fromEntries(named),
    rounds,
    maxMs,
  })
  const isHistoryQuick = await measureLists(api, {
    path: '/api/runs/history',
    filters: {
      '30 days': 'days=30',
      '90 days': 'days=90',
      'a workspace, 90 days': `days=90&workspaceId=${ids['workspace']}`,
    },
    rounds,
    maxMs: maxHistoryMs,
  })
  return isListQuick && isHistoryQuick
}
