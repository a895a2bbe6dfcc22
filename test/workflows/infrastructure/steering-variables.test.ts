import { unwrap } from '../../../store/driver/tenant.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { isOver, runUntil, startRun } from '../../harness/runs.ts'
import {
  certificateVariables,
  withCertificateCommand,
} from '../../gateways/tofu/certificate-command.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ worker: true })
})
afterAll(() => harness.close())

/** Inserts rows directly, as they were stored before the API refused their names. */
async function insertVariables(
  organizationId: number,
  workspaceId: number,
  variables: Readonly<Record<string, string>>,
): Promise<void> {
  const { keyring, store } = harness.deps
  const place = { organizationId, table: 'workspace_variables', column: 'value' }
  await store.tenant(organizationId, async (tenant) =>
    unwrap(tenant)
      .db('workspace_variables')
      .insert(
        Object.entries(variables).map(([key, value]) => ({
          organizationId,
          workspaceId,
          key,
          kind: 'env',
          sensitive: false,
          value: keyring.seal(place, value),
          valueMac: keyring.mac('variable', value),
        })),
      ),
  )
}

/**
 * Each of these variables would run the author's command in `init`, which has access to private
 * repositories.
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
  await insertVariables(org.id, workspace.id, variables)
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

test('stored variables of client certificates run no command in init, and are shown and deleted', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const marker = 'ran-what-a-certificate-said'
  const files = withCertificateCommand(`echo ${marker} >&2`)
  const workspace = await org.workspace({ by: owner, files })
  await insertVariables(org.id, workspace.id, certificateVariables)
  const { id } = await startRun(owner, workspace)
  const run = await runUntil(owner, { workspace, id }, isOver)
  // The token is not valid, so init fails at the bucket.
  expect(run).toMatchObject({ state: 'failed', reason: 'plan_errored' })
  const logs = await owner.get(`${workspace.url}/runs/${id}/logs?stage=plan`)
  expect(logs.body).not.toContain(marker)
  const ignored = Object.keys(certificateVariables).filter((key) =>
    logs.body.includes(`The environment variable ${key} is ignored`),
  )
  expect(ignored).toEqual(['GOOGLE_API_USE_CLIENT_CERTIFICATE', 'GOOGLE_API_CERTIFICATE_CONFIG'])

  const { variables } = (await owner.get(`${workspace.url}/variables`)).json()
  const shown = variables.map(({ key }: { key: string }) => key)
  expect(shown.toSorted()).toEqual(Object.keys(certificateVariables).toSorted())
  for (const variable of variables)
    expect((await owner.delete(`${workspace.url}/variables/${variable.id}`)).statusCode).toBe(200)
})
