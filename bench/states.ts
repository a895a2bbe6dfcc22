import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestEngines } from '../test/setup/engines.ts'
import { benchConfig } from './config.ts'
import { median, table } from './figures.ts'
import { startApi, type BenchApi } from './start-api.ts'

const rounds = benchConfig.rounds(20)
const warmUpRounds = benchConfig.warmUpRounds(3)
const resources = 10_000
/** How much longer a state may take to be stored with its resources noted (docs/ownership.md). */
const mayCost = { new: 1.3, unchanged: 1.05 }

/**
 * Stores a state of 10,000 resources, then the same resources under the next serial, and then one of
 * them exchanged: once with ids that a workspace owns, and once with the same bytes under a name that
 * no provider uses for an id.
 */
export async function statesSuite(): Promise<boolean> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cc-bench-states-'))
  const engines = await startTestEngines({ temporal: false })
  try {
    const place = { databaseUrl: engines.databaseUrl, name: 'bench_states', dataDir }
    const api = await startApi(place, { pipelines: 10, runs: 10, people: 10, entries: 10 })
    try {
      return await measure(api)
    } finally {
      await api.stop()
    }
  } finally {
    await engines.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const kinds = ['new', 'unchanged', 'one exchanged'] as const
const names = ['arn', 'urn'] as const
type Times = Record<(typeof names)[number], Record<(typeof kinds)[number], number[]>>

async function measure(api: BenchApi): Promise<boolean> {
  const none = () => ({ new: [], unchanged: [], 'one exchanged': [] })
  const times: Times = { arn: none(), urn: none() }
  const token = await tokenOf(api)
  const cpu: Record<string, number> = { arn: 0, urn: 0 }
  for (let round = -warmUpRounds; round < rounds; round += 1)
    // Alternating, so that a slower moment of the machine meets both.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const before = cpuMs(api.pid)
      const took = await storeThree(api, { token, name, round })
      if (round < 0) continue
      cpu[name] = (cpu[name] ?? 0) + cpuMs(api.pid) - before
      for (const kind of kinds) times[name][kind].push(took[kind])
    }
  const rows = [['a state of 10,000', 'without ms', 'with ms', 'ratio', 'may be', '']]
  let good = true
  for (const kind of kinds) {
    const [without, owned] = [median(times.urn[kind]), median(times.arn[kind])]
    const limit = kind === 'unchanged' ? mayCost.unchanged : mayCost.new
    good &&= owned / without <= limit
    rows.push([
      kind,
      without.toFixed(0),
      owned.toFixed(0),
      (owned / without).toFixed(3),
      String(limit),
      owned / without <= limit ? 'ok' : 'OVER',
    ])
  }
  const each = (name: string) => ((cpu[name] ?? 0) / rounds / kinds.length).toFixed(0)
  console.log(`\n${table(rows)}\n`)
  console.log(`CPU of the API a state: ${each('urn')} ms without, ${each('arn')} ms with\n`)
  return good
}

/** Of this process alone: the state is split in one of its own. Linux counts in hundredths of a second. */
function cpuMs(pid: number): number {
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user, system] = rest.split(' ').slice(11, 13).map(Number)
  return ((user ?? 0) + (system ?? 0)) * 10
}

type Writer = { token: string; name: (typeof names)[number]; round: number }

async function storeThree(
  api: BenchApi,
  { token, name, round }: Writer,
): Promise<Record<(typeof kinds)[number], number>> {
  const call = async (method: string, path: string, body: string) => {
    const since = performance.now()
    const answer = await fetch(`${api.address}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body,
    })
    const text = await answer.text()
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return { tookMs: performance.now() - since, text }
  }
  const made = await call(
    'POST',
    '/workspaces',
    JSON.stringify({ name: `s-${name}-${round + 100}` }),
  )
  const { id } = JSON.parse(made.text).workspace
  const lock = randomUUID()
  await call('LOCK', `/workspaces/${id}/state`, JSON.stringify(lockOf(lock)))
  const store = async (state: string) =>
    (await call('POST', `/workspaces/${id}/state?ID=${lock}`, state)).tookMs
  return {
    new: await store(stateOf({ name, serial: 1, first: 0, round })),
    unchanged: await store(stateOf({ name, serial: 2, first: 0, round })),
    'one exchanged': await store(stateOf({ name, serial: 3, first: 1, round })),
  }
}

const lockOf = (ID: string) => ({
  ID,
  Operation: 'OperationTypeApply',
  Info: '',
  Who: 'bench',
  Version: '1.12.6',
  Created: '2026-01-02T03:04:05Z',
  Path: '',
})

type Given = { name: string; serial: number; first: number; round: number }

/** As OpenTofu writes one: about 1 KiB an instance. */
function stateOf({ name, serial, first, round }: Given): string {
  const instances = Array.from({ length: resources }, (_, at) => {
    const id = `i-${String(at + first).padStart(8, '0')}${String(round + 100).padStart(9, '0')}`
    return {
      index_key: at + first,
      schema_version: 1,
      attributes: {
        ami: 'ami-0123456789abcdef0',
        [name]: `arn:aws:ec2:eu-west-1:123456789012:instance/${id}`,
        availability_zone: 'eu-west-1a',
        credit_specification: [{ cpu_credits: 'standard' }],
        ebs_optimized: false,
        id,
        instance_type: 't3.micro',
        key_name: null,
        private_dns: `ip-10-0-0-${at % 256}.eu-west-1.compute.internal`,
        private_ip: `10.0.0.${at % 256}`,
        root_block_device: [{ volume_id: `vol-${id}`, volume_size: 20, volume_type: 'gp3' }],
        security_groups: ['default'],
        subnet_id: 'subnet-0123456789abcdef0',
        tags: { Name: `web-${at}`, environment: 'production', team: 'platform' },
        tags_all: { Name: `web-${at}`, environment: 'production', team: 'platform' },
        user_data: 'f'.repeat(40),
        vpc_security_group_ids: ['sg-0123456789abcdef0'],
      },
      sensitive_attributes: [],
      dependencies: ['aws_security_group.web', 'aws_subnet.main'],
    }
  })
  const provider = 'provider["registry.opentofu.org/hashicorp/aws"]'
  const resource = { mode: 'managed', type: 'aws_instance', name: 'web', provider, instances }
  return JSON.stringify({
    version: 4,
    terraform_version: '1.12.6',
    serial,
    lineage: 'bench',
    outputs: {},
    resources: [resource],
  })
}

async function tokenOf(api: BenchApi): Promise<string> {
  const answer = await fetch(`${api.address}/api/auth/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: api.address, cookie: api.cookie },
    body: JSON.stringify({ name: 'bench', role: 'Deployer' }),
  })
  const { token } = (await answer.json()) as { token?: string }
  if (!token) throw new Error('no token')
  return token
}
