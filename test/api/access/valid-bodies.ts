import type { TableRoute } from '../../../api/http/route-table.ts'
import { simpleFiles } from '../../harness/test-organization.ts'
import { lockInfo, stateOf } from '../workspaces/state-client.ts'

/** A valid body for each route with ids in its address. Each new route needs one. */
const bodies: Record<string, unknown> = {
  'PATCH /api/workspaces/:id': { path: 'elsewhere' },
  'PUT /api/workspaces/:id/configuration': { files: simpleFiles },
  'POST /api/workspaces/:id/configuration/format': { text: 'a=1' },
  'POST /api/workspaces/:id/variables': { key: 'another', value: 'one' },
  'PATCH /api/workspaces/:id/variables/:variableId': { value: 'changed' },
  'POST /api/workspaces/:id/state': stateOf(2),
  'LOCK /api/workspaces/:id/state': lockInfo(),
  'UNLOCK /api/workspaces/:id/state': lockInfo(),
  'POST /api/workspaces/:id/state/versions/:serial/restore': {},
  'POST /api/workspaces/:id/lock': { reason: 'mine now' },
  'POST /api/workspaces/:id/unlock': { force: true },
  'POST /api/workspaces/:id/plan': {},
  'POST /api/workspaces/:id/apply': {},
  'POST /api/workspaces/:id/runs/:runId/approve': {},
  'POST /api/workspaces/:id/runs/:runId/cancel': {},
  'POST /api/workspaces/:id/runs/:runId/comments': { text: 'Why now?' },
  'POST /api/workspaces/:id/runs/:runId/reject': {},
  'POST /api/workspaces/:id/runs/:runId/rerun': {},
  'PATCH /api/pipelines/:id': { name: 'changed' },
  'POST /api/pipelines/:id/variables': { key: 'ANOTHER', value: 'one', phase: 'build' },
  'PATCH /api/pipelines/:id/variables/:variableId': { value: 'changed' },
  'POST /api/pipelines/:id/run': {},
  'POST /api/pipelines/:id/runs/:runId/approve': {},
  'POST /api/pipelines/:id/runs/:runId/reject': {},
  'POST /api/pipelines/:id/runs/:runId/cancel': {},
  'POST /api/pipelines/:id/runs/:runId/comments': { text: 'Why now?' },
  'PATCH /api/agents/:id': { name: 'changed' },
  'POST /api/pipelines/:id/runs/:runId/rerun': {},
  'POST /api/pipelines/:id/runs/:runId/rollback': {},
  'PATCH /api/cloud/accounts/:id': { name: 'changed' },
  'POST /api/cloud/accounts/:id/members': {
    roleName: 'cloud-control',
    members: [{ accountId: '210987654321', name: 'member' }],
  },
  'PATCH /api/git/connections/:id': { defaultRepo: 'a/b' },
  'POST /api/git/connections/:id/validate': {},
  'POST /api/workspaces/:id/hydrations/:hydrationId/resolve': { take: 'ours' },
  'POST /api/workspaces/:id/hydrations/:hydrationId/retry': {},
  'PATCH /api/notifications/:id': { name: 'changed' },
  'PATCH /api/policies/:id': { name: 'changed' },
  'PATCH /api/finops/anomalies/:id': { state: 'acknowledged' },
  'PATCH /api/finops/prices/:id': { monthlyPrice: 2 },
  'PATCH /api/finops/budgets/:id': { amountMonthly: 2 },
  'PATCH /api/finops/units/:id': { name: 'changed' },
  'PUT /api/finops/units/:id/values': { values: [{ day: '2026-03-01', value: 2 }] },
  'POST /api/finops/slices/:id/accept': {},
  'POST /api/finops/slices/:id/discard': {},
  'PATCH /api/org/users/:id': { name: 'Changed' },
  // The address of no user: to a platform administrator the organization would exist.
  'DELETE /api/admin/organizations/:id/owner-mfa': { email: 'nobody@elsewhere.test' },
}

export function validBody({ method, url, hasBody }: TableRoute): unknown {
  const body = bodies[`${method} ${url}`]
  if (hasBody && body === undefined)
    throw new Error(`${method} ${url}: name a body that it takes in valid-bodies.ts`)
  return body
}
