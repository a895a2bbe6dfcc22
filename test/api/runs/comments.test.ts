import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unwrap } from '../../../store/driver/tenant.ts'
import { applicationPipeline, applicationRun } from '../../harness/application-run.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization, TestWorkspace } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { approvalWorld } from './approval-world.ts'

describe('comments on a run', () => {
  let harness: Harness
  let org: TestOrganization
  let author: TestUser
  let reviewer: TestUser
  let workspace: TestWorkspace
  let runId: number
  beforeAll(async () => {
    harness = await createHarness()
    org = await harness.organization()
    author = await org.user('Deployer')
    reviewer = await org.user('Deployer')
  })
  afterAll(async () => harness.close())

  const newRun = async () => {
    workspace = await org.workspace({ by: author, criticality: 'production' })
    runId = (await approvalWorld(harness).waitingRun(org, author, workspace)).id
  }
  const byWorkspace = () => `${workspace.url}/runs/${runId}/comments`
  const byPipeline = () => `/api/pipelines/${workspace.pipelineId}/runs/${runId}/comments`
  const mailed = async () => {
    const rows = await harness.deps.store
      .platform('mails')
      .where({ organizationId: org.id, kind: 'run_commented' })
      .orderBy('id')
    return rows.filter(({ detail }) => ids.has(detail.commentId))
  }
  const mailsToAuthor = () => harness.mails.filter(({ to }) => to === author.email).length
  /** Of the comments of the test that runs. */
  let ids = new Set<number>()
  const say = async (by: TestUser, text: string, url = byWorkspace()) => {
    const answer = await by.post(url, { text })
    expect(answer.statusCode, answer.body).toBe(201)
    ids.add(answer.json().comment.id)
    return answer.json().comment
  }

  test('201: it is read at both addresses, counted, and in the audit log without its text', async () => {
    await newRun()
    const first = await say(reviewer, '  Why is the \n port open?  ')
    expect(first).toMatchObject({ user: reviewer.email, text: 'Why is the \n port open?' })
    await say(author, 'For the health check.', byPipeline())
    for (const url of [byWorkspace(), byPipeline()]) {
      const { comments, nextCursor } = (await author.get(url)).json()
      expect(comments.map(({ text }: { text: string }) => text)).toEqual([
        'Why is the \n port open?',
        'For the health check.',
      ])
      expect(nextCursor).toBeNull()
    }
    const page = (await author.get(`${byWorkspace()}?limit=1`)).json()
    expect(page.nextCursor).toBe(String(first.id))
    const rest = (await author.get(`${byWorkspace()}?cursor=${page.nextCursor}`)).json()
    expect(rest.comments).toHaveLength(1)
    const { run } = (await author.get(`${workspace.url}/runs/${runId}`)).json()
    expect(run.commentCount).toBe(2)
    const entries = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('audit_entries')
        .where({ organizationId: org.id, event: 'pipeline.run_commented', targetId: runId }),
    )
    expect(entries.map(({ detail }) => detail)).toEqual(
      [...ids].map((commentId) => ({ commentId })),
    )
  })

  test('a mail goes to the author, who decided and who commented, not to the writer, once in ten minutes', async () => {
    await newRun()
    ids = new Set()
    const other = await org.user('Owner')
    await say(reviewer, 'Wait for the freeze.')
    expect((await mailed()).map(({ userId }) => userId)).toEqual([author.id])
    await say(reviewer, 'Until Monday.')
    expect(await mailed(), 'no second mail at once').toHaveLength(1)
    await say(other, 'It is over.')
    expect((await mailed()).map(({ userId }) => userId)).toEqual([author.id, reviewer.id])
    await harness.deps.store
      .platform('mails')
      .where({ kind: 'run_commented' })
      .update({ createdAt: new Date(Date.now() - 11 * 60_000) })
    await say(author, 'Then approve it.')
    expect((await mailed()).slice(2).map(({ userId }) => userId)).toEqual([reviewer.id, other.id])
  })

  test('the mail names the run and its page, and not what was said', async () => {
    await newRun()
    const before = mailsToAuthor()
    await say(reviewer, 'The password is in the plan.')
    const written = await harness.mailTo(author.email, before)
    expect(written.subject).toBe(`${reviewer.email} commented on run #1 of ${workspace.name}`)
    expect(written.text).toContain(
      `${workspace.url.replace('/api', '')}/runs/${runId}?tab=comments`,
    )
    expect(JSON.stringify(written)).not.toContain('password')
  })

  test('201: a run of an application has comments of its own', async () => {
    const pipelineId = await applicationPipeline(harness.deps, org.id)
    const { id } = await applicationRun(harness.deps, org.id, {
      pipelineId,
      origin: 'person',
      authorUserId: author.id,
    })
    const before = mailsToAuthor()
    const url = `/api/pipelines/${pipelineId}/runs/${id}`
    await say(reviewer, 'Which ticket?', `${url}/comments`)
    expect((await author.get(`${url}/comments`)).json().comments).toHaveLength(1)
    expect((await author.get(url)).json().run.commentCount).toBe(1)
    const written = await harness.mailTo(author.email, before)
    expect(written.text).toContain(`/pipelines/${pipelineId}/runs/${id}?tab=comments`)
  })

  test('400: a comment without words, and one that is too long', async () => {
    await newRun()
    for (const text of ['', ' \n\t ', 'x'.repeat(4_001), 5]) {
      const answer = await author.post(byWorkspace(), { text })
      expect(answer.statusCode, JSON.stringify(text).slice(0, 40)).toBe(400)
      expect(answer.json().details[0].path).toBe('text')
    }
    expect((await author.get(byWorkspace())).json().comments).toEqual([])
  })

  test('403 and 404: a Viewer only reads; another organization’s run is not found', async () => {
    await newRun()
    const viewer = await org.user('Viewer')
    expect((await viewer.get(byWorkspace())).statusCode).toBe(200)
    expect((await viewer.post(byWorkspace(), { text: 'Hello' })).statusCode).toBe(403)
    const stranger = await (await harness.organization()).user('Owner')
    for (const url of [byWorkspace(), byPipeline()]) {
      expect((await stranger.get(url)).statusCode).toBe(404)
      expect((await stranger.post(url, { text: 'Hello' })).statusCode).toBe(404)
    }
  })

  test('409: the 201st comment; nothing changes or removes one', async () => {
    await newRun()
    await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('run_comments')
        .insert(
          Array.from({ length: 200 }, () => ({
            organizationId: org.id,
            workspaceRunId: runId,
            userId: author.id,
            text: 'again',
          })),
        ),
    )
    const answer = await author.post(byWorkspace(), { text: 'One more' })
    expect(answer.statusCode).toBe(409)
    expect(answer.json().code).toBe('too_many_comments')
    for (const change of ["update run_comments set text = 'no'", 'delete from run_comments'])
      await expect(
        harness.deps.store.tenant(org.id, async (tenant) => unwrap(tenant).db.raw(change)),
      ).rejects.toThrow('permission denied')
  })
})
