import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { deployActivities, deployWorld } from '../../harness/deploy/deploy-world.ts'
import { eventually } from '../../harness/eventually.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness?.close())

test('a result that comes while another host is given up: neither waits for the other', async () => {
  const activities = deployActivities(harness)
  const world = await deployWorld(harness)
  const lost = await world.hosts.add('lost')
  const busy = await world.hosts.add('busy')
  const deploy = 'strategy: two\nstrategies: { two: { kind: rolling, batch: 2 } }'
  const run = await world.built({ deploy })
  await activities.open(run.id)
  await activities.advance(run.id)
  expect(await world.hosts.answer(() => 'silent')).toEqual(['lost deploy', 'busy deploy'])
  await world.hosts.lose(lost)
  const { platform } = harness.deps.store
  let advancing: Promise<unknown> = Promise.resolve()
  // As api/agents/protocol/take-result.ts: the row of the host first, then the log of the stage.
  const telling = platform.transaction(async (trx) => {
    await trx('deployment_hosts')
      .where({ pipelineRunId: run.id, agentId: busy })
      .forUpdate()
      .select('agentId')
    advancing = activities.advance(run.id).then(
      () => 'advanced',
      (error: unknown) => error,
    )
    await eventually(async () => {
      const { rows } = await trx.raw(
        `select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`,
      )
      return rows.length > 0
    })
    await trx('stages')
      .where({ pipelineRunId: run.id, name: 'deploy' })
      .update({ lastSeq: trx.raw('last_seq') })
  })
  // PostgreSQL would end one of them as the victim of a deadlock.
  await telling
  expect(await advancing).toBe('advanced')
  expect(await run.lines('deploy')).toContainEqual(expect.stringContaining('lost was lost'))
  expect(await world.hosts.states(run.id)).toMatchObject({ lost: 'unreachable', busy: 'updating' })
})
