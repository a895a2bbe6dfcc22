import { unwrap } from '../../../store/driver/tenant.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { isOver, runUntil, startRun } from '../../harness/runs.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ worker: true })
})
afterAll(() => harness.close())

/**
 * Each of these variables would run the author's command in `init`, which has access to private
 * repositories. The rows are inserted directly, as they were stored before the API refused them.
 */
test('stored variables that control git or a shell run no command in init, and the log names them', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const marker = 'ran-what-a-variable-said'
  const files = {
    'main.tf': 'module "m" {\n  source = "git::ssh://git@127.0.0.1/group/module.git"\n}\n',
    'env.sh': `echo ${marker} >&2\n`,
  }
  const workspace = await org.workspace({ by: owner, files })
  const variables = {
    GIT_SSH_COMMAND: `sh -c 'echo ${marker} >&2; exit 1'`,
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.sshCommand',
    GIT_CONFIG_VALUE_0: `sh -c 'echo ${marker} >&2; exit 1'`,
    BASH_ENV: 'env.sh',
    ENV: 'env.sh',
    git_ssh: './env.sh',
  }
  const { keyring, store } = harness.deps
  const place = { organizationId: org.id, table: 'workspace_variables', column: 'value' }
  await store.tenant(org.id, async (tenant) =>
    unwrap(tenant)
      .db('workspace_variables')
      .insert(
        Object.entries(variables).map(([key, value]) => ({
          organizationId: org.id,
          workspaceId: workspace.id,
          key,
          kind: 'env',
          sensitive: false,
          value: keyring.seal(place, value),
          valueMac: keyring.mac('variable', value),
        })),
      ),
  )
  const { id } = await startRun(owner, workspace)
  const run = await runUntil(owner, { workspace, id }, isOver)
  // The module does not exist, so init fails at git.
  expect(run).toMatchObject({ state: 'failed', reason: 'plan_errored' })
  const logs = await owner.get(`${workspace.url}/runs/${id}/logs?stage=plan`)
  expect(logs.body).not.toContain(marker)
  expect(run.endMessage).not.toContain(marker)
  for (const key of Object.keys(variables))
    expect(logs.body).toContain(`The environment variable ${key} is ignored`)
})
