import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Knex } from 'knex'
import { Secret } from '../config.ts'
import { connectOwner } from '../store/driver/connect.ts'
import { startTestEngines } from '../test/setup/engines.ts'
import { benchConfig } from './config.ts'
import { measureLists } from './measure-lists.ts'
import { seedListedRuns } from './seed-listed-runs.ts'
import { startApi } from './start-api.ts'

const rounds = benchConfig.rounds(40)
const maxMs = 30
const workspaces = 5_000 * benchConfig.scale
const size = { pipelines: workspaces, runs: workspaces * 20, people: 100, entries: 1 }

const filters = {
  none: '',
  name: 'sort=name',
  'name, backwards': 'sort=-name',
  criticality: 'sort=criticality',
  'standard first': 'sort=-criticality',
  'newest run first': 'sort=-lastRunAt',
  'oldest run first': 'sort=lastRunAt',
  failed: 'sort=name&state=failed',
  'failed, newest first': 'sort=-lastRunAt&state=failed',
  succeeded: 'sort=name&state=succeeded',
  'waits for approval': 'sort=name&awaitingApproval=true',
  'running, not waiting': 'sort=name&state=running&awaitingApproval=false',
  'canceled, standard first': 'sort=-criticality&state=canceled',
  'no runs': 'sort=name&state=none',
  'no runs or failed': 'sort=name&state=none&state=failed',
  production: 'sort=name&criticality=production',
  'label, of a twentieth': 'sort=name&label=team%3D7',
  'label, of one': 'sort=name&label=only%3Done',
  'label, of none': 'sort=name&label=only%3Dnone',
  'labels, newest first': 'sort=-lastRunAt&label=team%3D7&label=team%3D8',
  'q, of all': 'sort=name&q=ws',
  'q, of one': 'sort=name&q=ws-3333',
  'q, of none': 'sort=name&q=no-such-thing',
  'failed, q of none': 'sort=name&state=failed&q=no-such-thing',
  'production, failed, q': 'sort=-lastRunAt&criticality=production&state=failed&q=9',
}

/** Each order and filter of the list of workspaces, on 5,000 workspaces with 100,000 runs. */
export async function workspacesSuite(): Promise<boolean> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cc-bench-workspaces-'))
  const engines = await startTestEngines({ temporal: false })
  const closing: Array<() => Promise<void>> = []
  try {
    console.log(`${cpus().length} processors, ${rounds} rounds; storing ${workspaces} workspaces`)
    const api = await startApi({ databaseUrl: engines.databaseUrl, name: 'bench', dataDir }, size)
    closing.push(api.stop)
    const owner = connectOwner(new Secret(api.databaseUrl))
    await seedListedRuns(owner)
    await labelWorkspaces(owner)
    const favorites = await forgetRuns(owner)
    await owner.destroy()
    const page = (filter: string) => (filter ? `limit=60&${filter}` : 'limit=60')
    const asked = Object.entries({ ...filters, '100 favorites': favorites })
    return await measureLists(api, {
      path: '/api/workspaces',
      filters: Object.fromEntries(asked.map(([name, filter]) => [name, page(filter)])),
      rounds,
      maxMs,
    })
  } finally {
    for (const close of closing) await close()
    await engines.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Each has one of twenty labels, and one has a label of its own. */
async function labelWorkspaces(owner: Knex): Promise<void> {
  await owner.raw(`update workspaces set labels = jsonb_build_object('team', (id % 20)::text)
    || case when id = (select max(id) from workspaces) then '{"only":"one"}'::jsonb else '{}' end`)
  await owner.raw('vacuum analyze workspaces')
  await owner.raw('vacuum analyze workspace_labels')
}

/** Every tenth workspace has no run. Returns a query of 100 workspaces that lie far from each other. */
async function forgetRuns(owner: Knex): Promise<string> {
  await owner.raw(
    'update pipelines set last_workspace_run_id = null, last_number = 0 where id % 10 = 0',
  )
  await owner.raw('vacuum analyze pipelines')
  const { rows } = await owner.raw(
    'select id from workspaces where id % 47 = 0 order by 1 limit 100',
  )
  return `sort=name&${rows.map(({ id }: { id: number }) => `id=${id}`).join('&')}`
}
