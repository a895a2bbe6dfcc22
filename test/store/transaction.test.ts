import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { databaseLogins } from '../../gateways/keyring/database-logins.ts'
import { askPrepared } from '../../store/driver/ask-prepared.ts'
import { connectStore, type Store } from '../../store/driver/connect.ts'
import type { Db } from '../../store/driver/db.ts'
import { unwrap } from '../../store/driver/tenant.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'

describe('a transaction of an organization', () => {
  let harness: Harness
  let org: TestOrganization
  /** With one pooled connection: each transaction follows the previous one on it. */
  let store: Store
  beforeAll(async () => {
    harness = await createHarness()
    store = connectStore(databaseLogins(harness.config), 1)
  })
  beforeEach(async () => {
    org = await harness.organization()
  })
  afterAll(async () => {
    await store.close()
    await harness.close()
  })

  const inOrganization = async <T>(work: (db: Db) => Promise<T>): Promise<T> =>
    store.tenant(org.id, async (tenant) => work(unwrap(tenant).db))

  const addWorkspace = async (db: Db, name: string): Promise<void> =>
    db('workspaces').insert({ organizationId: org.id, name })

  const names = async (): Promise<string[]> =>
    inOrganization(async (db) => db.from('workspaces').orderBy('name').pluck('name'))

  test('commits what succeeds and rolls back what fails', async () => {
    await inOrganization(async (db) => addWorkspace(db, 'kept'))
    const failing = inOrganization(async (db) => {
      await addWorkspace(db, 'lost')
      throw new Error('on purpose')
    })
    await expect(failing).rejects.toThrow('on purpose')
    expect(await names()).toEqual(['kept'])
  })

  test('fails where an error that was ignored aborted it', async () => {
    const ignoring = inOrganization(async (db) => {
      await addWorkspace(db, 'lost')
      await expect(db.raw('select 1 / 0')).rejects.toThrow('division')
    })
    await expect(ignoring).rejects.toThrow(/was rolled back/)
    expect(await names()).toEqual([])
  })

  describe('for reading', () => {
    const read = async <T>(work: (db: Db) => Promise<T>): Promise<T> =>
      store.reading(org.id, async (tenant) => work(unwrap(tenant).db))
    const readNames = async (): Promise<string[]> =>
      read(async (db) => db.from('workspaces').orderBy('name').pluck('name'))

    test('sees its organization alone, several at once on one connection', async () => {
      const [first, other] = [org, await harness.organization()]
      await inOrganization(async (db) => addWorkspace(db, 'of-the-first'))
      expect(await Promise.all([readNames(), readNames(), readNames()])).toEqual(
        Array.from({ length: 3 }, () => ['of-the-first']),
      )
      org = other
      expect(await readNames()).toEqual([])
      org = first
      expect(await readNames()).toEqual(['of-the-first'])
    })

    test('refuses to write, and the next transaction on its connection writes', async () => {
      await expect(read(async (db) => addWorkspace(db, 'lost'))).rejects.toThrow(/read-only/)
      await inOrganization(async (db) => addWorkspace(db, 'kept'))
      expect(await readNames()).toEqual(['kept'])
    })

    test('fails with the error of its work, and the connection goes on', async () => {
      await expect(read(async (db) => db.raw('select 1 / 0'))).rejects.toThrow('division')
      expect(await readNames()).toEqual([])
    })

    test('refuses a query after its end', async () => {
      const late = await read(async (db) => ({ db }))
      await expect(late.db.raw('select 1')).rejects.toThrow('has ended')
    })
  })

  test('leaves no organization on its connection', async () => {
    const [first, other] = [org, await harness.organization()]
    await inOrganization(async (db) => addWorkspace(db, 'of-the-first'))
    org = other
    expect(await names()).toEqual([])
    org = first
    expect(await names()).toEqual(['of-the-first'])
  })

  test('refuses a query that arrives after its end', async () => {
    const ended = await inOrganization(async (db) => ({ db }))
    const refused = /transaction of this query has ended/
    await expect(ended.db.raw('select 1')).rejects.toThrow(refused)
    await expect(ended.db('workspaces').select('id')).rejects.toThrow(refused)
    await expect(ended.db.transaction(async () => undefined)).rejects.toThrow(refused)
    const late = askPrepared(ended.db, { name: 'late', text: 'select 1', values: [] })
    await expect(late).rejects.toThrow(refused)
  })

  test('refuses a query of a savepoint that has ended', async () => {
    await inOrganization(async (db) => {
      const ended = await db.transaction(async (savepoint) => ({ savepoint }))
      await expect(ended.savepoint.raw('select 1')).rejects.toThrow(/has ended/)
      await addWorkspace(db, 'after')
    })
    expect(await names()).toEqual(['after'])
  })

  test('stays usable after a savepoint that failed', async () => {
    await inOrganization(async (db) => {
      await addWorkspace(db, 'first')
      const taken = db.transaction(async (savepoint) => {
        await addWorkspace(savepoint, 'undone')
        await addWorkspace(savepoint, 'first')
      })
      await expect(taken).rejects.toMatchObject({ code: '23505' })
      await db.transaction(async (savepoint) => addWorkspace(savepoint, 'second'))
    })
    expect(await names()).toEqual(['first', 'second'])
  })

  test('undoes an outer savepoint whole after one inside it failed', async () => {
    await inOrganization(async (db) => {
      const outer = db.transaction(async (savepoint) => {
        await addWorkspace(savepoint, 'of-the-outer')
        const inner = savepoint.transaction(async (nested) => nested.raw('select 1 / 0'))
        await expect(inner).rejects.toThrow('division')
        throw new Error('on purpose')
      })
      await expect(outer).rejects.toThrow('on purpose')
    })
    expect(await names()).toEqual([])
  })

  test('undoes of two savepoints that are asked for at once only the one that failed', async () => {
    await inOrganization(async (db) => {
      const outcomes = await Promise.allSettled([
        db.transaction(async (outer) => {
          await addWorkspace(outer, 'outer')
          await outer.transaction(async (inner) => addWorkspace(inner, 'inner'))
          throw new Error('on purpose')
        }),
        db.transaction(async (savepoint) => addWorkspace(savepoint, 'sibling')),
      ])
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
    })
    expect(await names()).toEqual(['sibling'])
  })

  test('reports a connection that is lost, and the next transaction has a new one', async () => {
    const lost = inOrganization(async (db) => {
      const { rows } = await db.raw('select pg_backend_pid() as pid')
      process.kill(rows[0].pid, 'SIGTERM')
      await db.raw('select pg_sleep(30)')
    })
    await expect(lost).rejects.toMatchObject({ fault: 'unavailable' })
    expect(await names()).toEqual([])
  })

  test('gives up a connection whose rollback is not answered', async () => {
    let pid = 0
    const failing = inOrganization(async (db) => {
      pid = (await db.raw('select pg_backend_pid() as pid')).rows[0].pid
      process.kill(pid, 'SIGSTOP')
      throw new Error('on purpose')
    })
    // PostgreSQL cannot stop while one of its processes is halted.
    onTestFinished(() => void process.kill(pid, 'SIGCONT'))
    await expect(failing).rejects.toThrow('on purpose')
    const { rows } = await inOrganization(async (db) => db.raw('select pg_backend_pid() as pid'))
    expect(rows[0].pid).not.toBe(pid)
  }, 15_000)
})
