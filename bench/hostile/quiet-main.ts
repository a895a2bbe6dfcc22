import { setTimeout as sleep } from 'node:timers/promises'
import { joinCpuGroup, openCpuGroup } from '../../gateways/sandbox/cpu-group.ts'
import { signIn, type CallApi } from '../call-api.ts'
import { makeWorkspaceOf } from './organization.ts'
import type { QuietBegin, QuietTold, Watched } from './quiet-tenant.ts'

type Run = {
  id: number
  state: string
  reason: string | null
  stages: Array<{ name: string; state: string }>
}

const askEveryMs = 50
const runsOfPage = 20
const mayTakeMs = 120_000
/** A kill of the worker or its runner, of OpenTofu or a process below it. */
const endsOfKilled = new Set(['runner_lost', 'apply_errored', 'plan_errored'])
/** Longer than an apply may go without a heartbeat, so that a blocked worker loses it. */
const longApplySeconds = 40

const tell = (told: QuietTold) => void process.send?.(told)
process.on('disconnect', () => process.exit())
process.once('message', (begin: QuietBegin) => {
  void open(begin).then((watch) => {
    process.on('message', (forMs: number) => void watch(forMs).then((watched) => tell({ watched })))
    tell({})
  })
})

/** Makes the tenant's workspaces. The function that it returns reads pages and applies for so long. */
async function open(begin: QuietBegin): Promise<(forMs: number) => Promise<Watched>> {
  // In the group of the API, so that the client gets the CPU as soon as the API does.
  const group = openCpuGroup('answers')
  if (group !== undefined) await joinCpuGroup(group, process.pid)
  const { address, credentials } = begin
  const client = await signIn(address.replace(/\/api$/, ''), credentials)
  const organization = { slug: 'quiet', credentials, ...client }
  const short = await makeWorkspaceOf(organization, 'short', {
    'main.tf': 'resource "terraform_data" "one" { input = timestamp() }\n',
  })
  const long = await makeWorkspaceOf(organization, 'long', {
    'main.tf': `resource "terraform_data" "one" {
  triggers_replace = timestamp()
  provisioner "local-exec" { command = "sleep ${longApplySeconds}" }
}
`,
  })
  const tenant: Tenant = { ...client, short, kills: begin.kills }
  // The page of runs that is read has as many in each phase, with nobody else and beside the attacks.
  const seeded: Watched = { apiMs: [], runMs: [], faults: [], lost: [] }
  while (seeded.runMs.length < runsOfPage) await apply(tenant, { id: short, until: 0 }, seeded)
  return async (forMs) => {
    const watched: Watched = { apiMs: [], runMs: [], faults: [], lost: [] }
    const until = Date.now() + forMs
    await Promise.all([
      ask(tenant, until, watched),
      apply(tenant, { id: short, until }, watched),
      apply(tenant, { id: long, until }, watched),
    ])
    return watched
  }
}

type Tenant = { call: CallApi; short: number; kills: boolean }

async function ask({ call, short, kills }: Tenant, until: number, watched: Watched): Promise<void> {
  const paths = [
    '/auth/me',
    '/workspaces',
    '/pipelines',
    `/workspaces/${short}/runs?limit=${runsOfPage}`,
  ]
  for (let at = 0; Date.now() < until; at += 1) {
    const path = paths[at % paths.length] ?? ''
    try {
      watched.apiMs.push((await call('GET', path)).tookMs)
    } catch (error) {
      if (!kills) watched.faults.push(`GET ${path}: ${String(error).slice(0, 120)}`)
    }
    await sleep(askEveryMs)
  }
}

async function apply(
  tenant: Tenant,
  { id, until }: { id: number; until: number },
  watched: Watched,
): Promise<void> {
  do {
    const from = Date.now()
    const since = performance.now()
    const begun = await answer(tenant, 'POST', `/workspaces/${id}/apply`)
    if (!begun) continue
    const giveUpAt = Date.now() + mayTakeMs + longApplySeconds * 1_000
    let run = begun
    while (run.state === 'running' && Date.now() < giveUpAt) {
      await sleep(200)
      run = (await answer(tenant, 'GET', `/workspaces/${id}/runs/${run.id}`)) ?? run
    }
    if (run.state === 'succeeded') {
      if (id === tenant.short) watched.runMs.push(performance.now() - since)
    } else if (tenant.kills && endsOfKilled.has(run.reason ?? ''))
      watched.lost.push({ id: run.id, from, to: Date.now() })
    else watched.faults.push(`run ${run.id}: ${run.state} ${run.reason ?? stageOf(run)}`)
  } while (Date.now() < until)
}

/** Where a run is that takes too long. */
const stageOf = ({ stages }: Run): string =>
  stages.map(({ name, state }) => `${name} ${state}`).join(', ')

/** Undefined if the API was killed. The caller repeats the request. */
async function answer(
  { call, kills }: Tenant,
  method: string,
  path: string,
): Promise<Run | undefined> {
  try {
    const { body } = await call(method, path, method === 'POST' ? {} : undefined)
    return body['run'] as Run
  } catch (error) {
    if (!kills) throw error
    await sleep(500)
    return undefined
  }
}
