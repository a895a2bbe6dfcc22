import { once } from 'node:events'
import { IncomingMessage, request, ServerResponse } from 'node:http'
import { Socket, type AddressInfo } from 'node:net'
import { setImmediate as others } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exportEntries } from '../../../api/audit/export-entries.ts'
import { exportInPlace } from '../../../api/audit/export-in-place.ts'
import { unwrap } from '../../../store/driver/tenant.ts'
import { countStatements } from '../../harness/count-statements.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

describe('GET /api/audit/export', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  /** Entries of one event, the first and the last of them by an actor who did nothing else. */
  const fill = async (org: TestOrganization, count: number, characters: number) =>
    harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db.raw(
        `insert into audit_entries (organization_id, event, outcome, actor_kind, actor_label, detail)
         select :id, 'big.event', 'success', 'system',
           case when n in (1, :count::integer) then 'rare' else 'usual' end,
           jsonb_build_object('n', n, 'text', repeat('x', :characters::integer))
         from generate_series(1, :count::integer) n`,
        { id: org.id, count, characters },
      ),
    )
  /** A client that does not read the answer. */
  const open = async (user: TestUser, path: string): Promise<IncomingMessage> => {
    // The server listens on a port, so `address` returns an object.
    const { port } = harness.app.server.address() as AddressInfo
    const headers = { authorization: `Bearer ${await user.token('Viewer')}` }
    const sent = request({ host: '127.0.0.1', port, path, agent: false, headers })
    sent.on('error', () => undefined)
    sent.end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return response
  }
  const quick = '/api/audit/export?event=nothing.happened'
  const linesOf = (body: string) => body.trimEnd().split('\n')

  test('429: a second export of an organization at once; another has its own, and a client that left none', async () => {
    const org = await harness.organization()
    const viewer = await org.user('Viewer')
    // More than the buffers of a connection hold.
    await fill(org, 4_000, 7_000)
    const unread = await open(viewer, '/api/audit/export')
    expect(unread.statusCode).toBe(200)
    const refused = await viewer.get(quick)
    expect([refused.statusCode, refused.json().code]).toEqual([429, 'too_many_at_once'])
    expect(refused.headers['retry-after']).toBe('5')
    // A check of the log has places of its own.
    expect((await viewer.get('/api/audit/verify')).statusCode).toBe(200)
    const other = await (await harness.organization()).user('Viewer')
    expect((await other.get(quick)).statusCode).toBe(200)

    unread.destroy()
    await expect.poll(async () => (await viewer.get(quick)).statusCode).toBe(200)
    const whole = await viewer.get('/api/audit/export?event=big.*')
    expect(linesOf(whole.body)).toHaveLength(4_000)
    expect((await viewer.get(quick)).statusCode).toBe(200)
  })

  test('200: a filter that few entries match is read in pieces, and none of them has a statement without a limit', async () => {
    const org = await harness.organization()
    const viewer = await org.user('Viewer')
    await fill(org, 25_000, 10)
    const { answer, statements } = await countStatements(async () =>
      viewer.get('/api/audit/export?actor=rare'),
    )
    expect(linesOf(answer.body).map((line) => JSON.parse(line).detail.n)).toEqual([1, 25_000])
    const pieces = statements.filter((text) => text.includes('actor_label'))
    expect(pieces.length).toBeGreaterThanOrEqual(3)
    for (const text of pieces) expect(text).toContain('"id" <= ')
    const limits = statements.filter((text) => text.includes('statement_timeout'))
    expect(limits).toHaveLength(2 * pieces.length)
  })

  test('a client that has left ends the export between two pieces', async () => {
    const org = await harness.organization()
    await fill(org, 20, 10)
    let pieces = 0
    const entries = exportEntries(harness.deps, {
      organizationId: org.id,
      filter: { actor: { label: 'nobody' } },
      gone: () => (pieces += 1) > 0,
    })
    expect(await entries.next()).toEqual({ done: true, value: undefined })
    expect(pieces).toBe(1)
  })

  test('a client that takes nearly nothing of what waits for it is cut off, and its place is free', async () => {
    const org = await harness.organization()
    await fill(org, 1_000, 100)
    const begin = () =>
      exportInPlace(
        harness.deps,
        { raw: new ServerResponse(new IncomingMessage(new Socket())) },
        {
          organizationId: org.id,
          filter: {},
          rate: { slowMs: 600, leastBytes: 1_048_576 },
        },
      )
    const lines = begin()
    expect(begin).toThrow('is being exported')
    await expect(once(lines, 'close')).rejects.toThrow('too slow')
    await others()
    const again = begin()
    again.destroy()
    await once(again, 'close')
  })
})
