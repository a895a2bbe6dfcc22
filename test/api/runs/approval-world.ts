import { expect } from 'vitest'
import { workspaceRuns } from '../../../store/runs/workspace-runs.ts'
import type { Harness } from '../../harness/create-harness.ts'
import type { TestOrganization, TestWorkspace } from '../../harness/test-organization.ts'
import { createTestUser, type TestUser } from '../../harness/test-user.ts'

export type Waiting = { id: number; approveUrl: string; warnings: string[] }

export const refused = '403 approver_made_by_author'

/** Runs that wait for approval, and users who were created through the API. */
export function approvalWorld(harness: Harness) {
  const world = {
    /** A production run that waits for approval. The row is set directly, without a worker. */
    waitingRun: async (
      org: TestOrganization,
      author: TestUser,
      workspace: TestWorkspace,
    ): Promise<Waiting> => {
      const started = await author.post(`${workspace.url}/apply`)
      expect(started.statusCode, started.body).toBe(201)
      const { run, warnings = [] } = started.json()
      await harness.deps.store.tenant(org.id, async (tenant) =>
        workspaceRuns(tenant).move(run.id, ['queued', 'planning'], {
          phase: 'awaiting_approval',
          planDigest: 'sha256:0',
        }),
      )
      const approveUrl = `/api/pipelines/${workspace.pipelineId}/runs/${run.id}/approve`
      return { id: run.id, approveUrl, warnings }
    },

    /** Signs in a user who was created through the API, without their invitation. */
    signIn: async (org: TestOrganization, { id, email }: { id: number; email: string }) =>
      createTestUser(harness.app, harness.deps, { id, organizationId: org.id, email }),

    invite: async (org: TestOrganization, by: TestUser, role = 'Deployer'): Promise<TestUser> => {
      const email = `new${Math.random().toString(36).slice(2)}@${org.slug}.example`
      const answer = await by.post('/api/org/users', { email, name: 'New Person', role })
      expect(answer.statusCode, answer.body).toBe(201)
      return world.signIn(org, { id: answer.json().user.id, email })
    },

    change: async (by: TestUser, person: { id: number }, body: object): Promise<void> => {
      const answer = await by.patch(`/api/org/users/${person.id}`, body)
      expect(answer.statusCode, answer.body).toBe(200)
    },

    verdict: async (person: TestUser, run: Waiting): Promise<string> => {
      const answer = await person.post(run.approveUrl, {})
      return answer.statusCode === 200 ? 'approved' : `${answer.statusCode} ${answer.json().code}`
    },

    seen: async (person: TestUser, workspace: TestWorkspace, run: Waiting) =>
      (await person.get(`${workspace.url}/runs/${run.id}`)).json().run,
  }
  return world
}

export type ApprovalWorld = ReturnType<typeof approvalWorld>
