import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Knex } from 'knex'
import { connectOwner } from '../../store/driver/connect.ts'
import { callers } from '../../store/platform/callers.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'

let harness: Harness
let owner: Knex
beforeAll(async () => {
  harness = await createHarness()
  owner = connectOwner(harness.config.databaseUrl)
})
afterAll(async () => {
  await owner.destroy()
  await harness.close()
})

type Kind = 'session' | 'pat' | 'run' | 'scim' | 'agt'

/** The statement for each kind of credential. */
async function statements(): Promise<Map<Kind, string>> {
  const texts: string[] = []
  const asking = callers({
    platform: harness.deps.store.platform,
    async lookUp({ text }) {
      texts.push(text)
      return []
    },
  })
  const hash = Buffer.alloc(32)
  const found = new Map<Kind, string>()
  const note = async (kind: Kind, ask: Promise<unknown>) => {
    await ask
    found.set(kind, texts.pop()!)
  }
  await note('session', asking.bySession(hash))
  await note('pat', asking.byToken(hash))
  await note('run', asking.byRunToken(hash))
  await note('scim', asking.byScimToken(hash))
  await note('agt', asking.byAgentToken(hash))
  return found
}

/** As many people, tokens, agents and runs as a large team makes within its first minute. */
const many = 1000

async function fill(db: Knex.Transaction, org: number): Promise<void> {
  const made = `generate_series(1, ${many}) n`
  const hash = (kind: string) => `sha256(convert_to('${kind} ' || n, 'utf8'))`
  await db.raw(`
    select set_config('cc.organization_id', '${org}', true);
    insert into users (id, organization_id, email, name, active)
      overriding system value select 10000 + n, ${org}, 'many' || n || '@example.com', 'P', true from ${made};
    insert into role_grants (organization_id, user_id, role, source)
      select ${org}, 10000 + n, 'Viewer', 'manual' from ${made};
    insert into sessions (organization_id, user_id, token_hash, expires_at)
      select ${org}, 10000 + n, ${hash('session')}, now() + interval '1 day' from ${made};
    insert into workspaces (id, organization_id, name)
      overriding system value select 10000 + n, ${org}, 'w' || n from ${made};
    insert into agents (id, organization_id, workspace_id, name)
      overriding system value select 10000 + n, ${org}, 10000 + n, 'agent' || n from ${made};
    insert into configuration_versions (id, organization_id, workspace_id, number, files, files_sha256, file_names, size_bytes)
      overriding system value values (9999, ${org}, 10001, 1, '', '', '{}', 0);
    insert into workspace_runs (id, organization_id, workspace_id, configuration_version_id, origin, kind, phase)
      overriding system value select 10000 + n, ${org}, 10000 + n, 9999, 'push', 'plan', 'planning' from ${made};
    insert into tokens (organization_id, kind, user_id, name, prefix, hash, role, expires_at)
      select ${org}, 'pat', 10000 + n, 't', 'p', ${hash('pat')}, 'Viewer', now() + interval '1 day' from ${made};
    insert into tokens (organization_id, kind, name, prefix, hash)
      select ${org}, 'scim', 't', 'p', ${hash('scim')} from ${made};
    insert into tokens (organization_id, kind, agent_id, name, prefix, hash)
      select ${org}, 'agt', 10000 + n, 't', 'p', ${hash('agt')} from ${made};
    insert into tokens (organization_id, kind, workspace_run_id, run_phase, fence, name, prefix, hash)
      select ${org}, 'run', 10000 + n, 'plan', 1, 't', 'p', ${hash('run')} from ${made};`)
}

type PlanNode = {
  'Node Type': string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Join Filter'?: number
  Plans?: PlanNode[]
}

function rowsRead(node: PlanNode): number {
  const own =
    node['Actual Rows'] +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Join Filter'] ?? 0)
  return (
    own * node['Actual Loops'] + (node.Plans ?? []).reduce((sum, one) => sum + rowsRead(one), 0)
  )
}

test('a plan that was made of empty tables finds a caller among a thousand by reading a few rows', async () => {
  const { id } = await harness.organization()
  const read: Record<string, number> = {}
  const found: Record<string, number> = {}
  await owner.transaction(async (db) => {
    // Of the statements that a connection asks most, PostgreSQL keeps one plan.
    await db.raw('set local plan_cache_mode = force_generic_plan')
    const asked = await statements()
    await db.raw('set local role cc_platform')
    for (const [kind, text] of asked) {
      await db.raw(`prepare "${kind}" (bytea) as ${text}`)
      await db.raw(`execute "${kind}" (sha256('nobody'))`)
    }
    await db.raw('reset role')
    await fill(db, id)
    await db.raw('set local role cc_platform')
    for (const kind of asked.keys()) {
      const run = `execute "${kind}" (sha256('${kind} ${many / 2}'))`
      found[kind] = (await db.raw(run)).rows.length
      const { rows } = await db.raw(`explain (analyze, format json) ${run}`)
      read[kind] = rowsRead(rows[0]['QUERY PLAN'][0].Plan)
    }
  })
  expect(found).toEqual({ session: 1, pat: 1, run: 1, scim: 1, agt: 1 })
  for (const [kind, rows] of Object.entries(read)) expect(rows, kind).toBeLessThan(20)
})
