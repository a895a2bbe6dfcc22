import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { hasPython, pythonTools } from './python-tools.ts'
import { runPeer } from './run-peer.ts'

/** More is a deeper search: `PEER_EXAMPLES=200 PEER_PATHS='^/api/users' npm run test:peers -- schemathesis`. */
const examples = process.env['PEER_EXAMPLES'] ?? '5'
const seed = process.env['PEER_SEED'] ?? '1'
const paths = process.env['PEER_PATHS']
/** For one caller. On a machine that does nothing else it takes a tenth of that. */
const timeoutMs = Number(process.env['PEER_TIMEOUT_SECONDS'] ?? '600') * 1_000
const only = paths ? ['--include-path-regex', paths] : []

const all = ['coverage', 'fuzzing', 'stateful']
/**
 * The 14,000 cases of `coverage` vary each field of bodies and queries. Whoever may not do something is
 * refused before these are read, so `PEER_PHASES=all` alone sends them for a Viewer and without a session.
 */
const random = process.env['PEER_PHASES'] === 'all' ? all : ['fuzzing', 'stateful']

/** What ends the session that asks, or opens another in its place: the schema's first id is that of the asker. */
const changesSession = [
  'logOut',
  'endMySession',
  'changePassword',
  'acceptInvitation',
  'deleteUser',
  'transferOwnership',
]

/**
 * Told with 400 what no schema of OpenAPI 3.0 can tell: a link that nobody sent, a policy or file that does
 * not compile, 31 February, a first day after the last one, the form of the keys of labels.
 */
const refusesValid = [
  'acceptInvitation',
  'lookAtInvitation',
  'resetPassword',
  'changePassword',
  'mapGroup',
  'listRuns',
  'listWorkspaces',
  'listPipelines',
  'listAuditEntries',
  'exportAuditLog',
  'updateSettings',
  'transferOwnership',
  'createPipeline',
  'createPolicy',
  'createNotification',
  'updateNotification',
  'updatePolicy',
  'createWorkspace',
  'updateWorkspace',
  'planWorkspace',
  'applyWorkspace',
  'runPipeline',
  'updatePipeline',
  'createPipelineVariable',
  'updatePipelineVariable',
  'createVariable',
  'updateVariable',
  'putConfiguration',
  'formatConfigurationFile',
  'createAgent',
  'updateAgent',
  'listAnomalies',
  'getCost',
  'getWorkspaceCost',
  'listUnmanagedCost',
  'listCommitments',
  'getCostSeries',
  'exportCharges',
  'uploadBill',
  'createBudget',
  'updateBudget',
  'createUnit',
  'updateUnit',
  'getUnit',
  'putUnitValues',
  'setRate',
  'createPrice',
  'updatePrice',
  'createGitConnection',
  'connectCloudAccount',
  'changeCloudAccount',
  'validateCloudAccount',
  'getCloudAccountSetup',
  'saveSaml',
  'testSaml',
]

// schemathesis reads the OpenAPI document and asks what it promises, in every wrong way too: nothing
// may end in a 5xx, in a status or a body that is not described, or past the access that is declared.
describe.skipIf(!hasPython())('schemathesis', { timeout: timeoutMs + 30_000 }, () => {
  let harness: Harness
  let organization: TestOrganization
  let bin: string
  let folder: string

  beforeAll(async () => {
    bin = await pythonTools('schemathesis', ['schemathesis==4.32.5'])
    harness = await createHarness()
    organization = await harness.organization()
    folder = mkdtempSync(join(tmpdir(), 'cc-schemathesis-'))
  })
  afterAll(async () => {
    await harness?.close()
    if (folder) rmSync(folder, { recursive: true, force: true })
  })

  async function run(user: TestUser | undefined, phases: readonly string[]): Promise<void> {
    const { baseUrl = '' } = harness.config
    const off = all.filter((phase) => !phases.includes(phase))
    const text = `${settings(baseUrl, user)}${off.map((phase) => `[phases.${phase}]\nenabled = false\n`).join('')}`
    writeFileSync(join(folder, 'schemathesis.toml'), text)
    const { code, output } = await runPeer(
      join(bin, 'schemathesis'),
      ['run', `${baseUrl}/api/openapi.json`, '--no-color', '--seed', seed, ...only],
      { cwd: folder, timeoutMs },
    )
    if (code !== 0) console.log(output)
    expect(code).toBe(0)
    // With a session that had ended, nearly everything would have been refused as wanted.
    if (user) expect((await user.get('/api/auth/me')).statusCode).toBe(200)
  }

  test('as Owner', async () => run(await organization.user('Owner'), all))
  test('as Viewer', async () => run(await organization.user('Viewer'), random))
  test('signed out', async () => run(undefined, random))
})

function settings(origin: string, user: TestUser | undefined): string {
  const operation = (which: string, ...lines: string[]) => ['[[operations]]', which, ...lines]
  const named = (id: string) => `include-operation-id = "${id}"`
  const off = user ? changesSession : []
  const accepted = (table: string, statuses: string[]) => [
    `[${table}.positive_data_acceptance]`,
    `expected-statuses = ${JSON.stringify(['2xx', '3xx', ...statuses, '5xx'])}`,
  ]
  const refusals = ['401', '403', '404', '409', '423', '429']
  const lines = [
    'continue-on-failure = true',
    // Here and not on the command line, which would stand above the exceptions below.
    '[checks]',
    'enabled = true',
    '[headers]',
    `Origin = "${origin}"`,
    '[generation]',
    `max-examples = ${examples}`,
    ...accepted('checks', refusals),
    ...(user ? ['[auth.openapi.session]', `api_key = "${user.cookie}"`] : []),
    ...off.flatMap((id) => operation(named(id), 'enabled = false')),
    ...refusesValid
      .filter((id) => !off.includes(id))
      .flatMap((id) =>
        operation(named(id), ...accepted('operations.checks', ['400', ...refusals])),
      ),
    // Hidden routes answer 404 to every method, by rule.
    ...operation(
      'include-path-regex = "^/api/admin/"',
      '[operations.checks.unsupported_method]',
      'enabled = false',
    ),
    // No generator signs as an identity provider does: what it sends is refused, on a page.
    ...operation(
      'include-path-regex = "^/api/auth/saml/"',
      ...accepted('operations.checks', ['400', ...refusals]),
    ),
    // An address that is too long is refused as such.
    ...operation(
      'include-path-regex = "^/api/scim/"',
      '[operations.checks.negative_data_rejection]',
      'expected-statuses = ["400", "401", "403", "404", "405", "409", "412", "413", "415", "429", "431"]',
    ),
    // Addresses of the form of others: `DELETE /api/org/scim/{id}` answers 404, for no id is called log.
    ...['/api/org/scim/log', '/api/cloud/accounts/setup', '/api/finops/prices/unpriced'].flatMap(
      (path) =>
        operation(
          `include-path = "${path}"`,
          '[operations.checks.unsupported_method]',
          'enabled = false',
          '[operations.checks.allow_header_conformance]',
          'enabled = false',
        ),
    ),
    // OpenAPI has no words for WebDAV's methods, with which OpenTofu takes its lock.
    ...operation(
      'include-path-regex = "/state$"',
      '[operations.checks.allow_header_conformance]',
      'enabled = false',
      // A body that is no state is told so.
      ...accepted('operations.checks', ['400', ...refusals]),
    ),
  ]
  return `${lines.join('\n')}\n`
}
