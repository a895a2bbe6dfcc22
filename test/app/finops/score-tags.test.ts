import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tellOfAnomaly } from '../../../app/finops/tell-of-anomaly.ts'
import { dayAfter } from '../../../domain/finops/anomalies/days.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { scopeBills, scopeFirstDay, smallCosts } from '../../harness/scope-bills.ts'

const day = (index: number) => dayAfter(scopeFirstDay, index)
/** The first services of 60 are of team a, the others of b and c. */
const teamOf = (service: number) => ({ team: service < 20 ? 'a' : service < 40 ? 'b' : 'c' })

describe('the values of the settings’ tag', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const made = async (tagKey?: string) => {
    const org = await harness.organization()
    const of = scopeBills(harness.deps.store, org.id)
    if (tagKey) await of.settings({ tagKey })
    return { ...of, org, sourceId: await of.bills.source() }
  }
  /** 60 services of three teams, those of one with this factor on the last day. */
  const teams = (count: number, { factor = 1, of = 'a', spikes = {}, from = scopeFirstDay } = {}) =>
    smallCosts(count, { services: 60, tags: teamOf, spikes, from }).map((line) =>
      line.day === dayAfter(from, count - 1) && line.tags['team'] === of && line.effective === 10
        ? { ...line, effective: 10 * factor }
        : line,
    )

  /** The anomaly of the notice has these drivers, and each of the three tags is told of once more. */
  const tellAgain = async (organizationId: number, drivers: object[]) => {
    const { platform } = harness.deps.store
    const [notice] = await platform('notices').where({ organizationId })
    await platform('anomalies')
      .where({ organizationId, id: Number(notice.subjectId) })
      .update({ drivers: JSON.stringify(drivers) })
    const { rows } = await platform.raw(
      `update anomalies a set told_impact = null from anomaly_series s
       where a.organization_id = ? and s.organization_id = a.organization_id and s.id = a.series_id
         and s.scope_kind = 'tag' returning a.id`,
      [organizationId],
    )
    expect(rows).toHaveLength(3)
    await harness.deps.store.tenant(organizationId, async (tenant) => {
      for (const { id } of rows) await tellOfAnomaly(tenant, id)
    })
  }

  test('a rise of a tag that no service shows is told with its tag, and not of the whole', async () => {
    const { org, load, shown, scopes, told, sourceId } = await made('team')
    await load(sourceId, teams(60, { factor: 1.45 }))
    expect(await scopes()).toEqual([['team=a', day(59), 90]])
    expect(await shown()).toMatchObject([
      { scope: { kind: 'tag', value: 'team=a' }, provider: null, service: null, state: 'open' },
    ])
    expect(await told()).toEqual([{ event: 'anomaly.opened', subjectLabel: 'Tag team=a' }])
    const [notice] = await harness.deps.store.platform('notices').where({ organizationId: org.id })
    expect(notice.detail).toMatchObject({ scope: { kind: 'tag', value: 'team=a' }, service: null })
    expect(notice.title).toContain('Tag team=a costs more than expected: 90.00 USD')
  })

  test('a rise of all is told once, of the whole; the tags are listed', async () => {
    const { org, load, scopes, told, sourceId } = await made('team')
    await load(sourceId, smallCosts(60, { services: 60, tags: teamOf, at: { 59: 840 } }))
    expect((await scopes()).map(([value]) => value).toSorted()).toEqual([
      'all',
      'team=a',
      'team=b',
      'team=c',
    ])
    expect(await told()).toEqual([{ event: 'anomaly.opened', subjectLabel: 'All spend' }])
    const [notice] = await harness.deps.store.platform('notices').where({ organizationId: org.id })
    expect(JSON.stringify(notice.lines)).toContain('tag team=a: ')
    await load(
      sourceId,
      smallCosts(1, { from: '2026-03-01', services: 60, tags: teamOf, at: { 0: 840 } }),
    )
    expect(await told()).toHaveLength(1)
  })

  test('a tag whose value is longer than a driver is told of the whole alone', async () => {
    const { org, load, told, sourceId } = await made('team')
    const tags = (service: number) => ({ team: teamOf(service).team.padEnd(600, 'x') })
    await load(sourceId, smallCosts(60, { services: 60, tags, at: { 59: 840 } }))
    expect(await told()).toEqual([{ event: 'anomaly.opened', subjectLabel: 'All spend' }])
    // As they were stored before they had an ellipsis.
    const drivers = ['a', 'b', 'c'].map((team) => {
      const value = `team=${team.padEnd(495, 'x')}`
      return { dimension: 'tag', value, amount: 80, share: 0.3 }
    })
    await tellAgain(org.id, drivers)
    expect(await told()).toHaveLength(1)
  })

  test('a tag that did not drive the whole is told beside it', async () => {
    const { org, load, told, sourceId } = await made('team')
    await load(sourceId, smallCosts(60, { services: 60, tags: teamOf, at: { 59: 840 } }))
    expect(await told()).toHaveLength(1)
    const drivers = [{ dimension: 'tag', value: 'team=b', amount: 80, share: 0.3 }]
    await tellAgain(org.id, drivers)
    expect((await told()).map(({ subjectLabel }) => subjectLabel).toSorted()).toEqual([
      'All spend',
      'Tag team=a',
      'Tag team=c',
    ])
  })

  test('without a key of the settings no tag is scored', async () => {
    const { bills, load, scopes, sourceId } = await made()
    await load(sourceId, teams(60, { factor: 1.45 }))
    expect(await scopes()).toEqual([])
    expect(
      await bills.ask(`select scope_kind as kind from anomaly_series where source_id is null`),
    ).toEqual([{ kind: 'total' }])
  })

  test('a service explains the tags that it rose in, by what rose there', async () => {
    const { load, shown, scopes, sourceId } = await made('team')
    await load(sourceId, teams(60, { spikes: { 59: 400 } }))
    expect((await shown()).map(({ service }) => service)).toEqual(['Service 0'])
    // The rest of the tag is beyond its band by itself.
    await load(
      sourceId,
      teams(60, { factor: 1.45, spikes: { 59: 400 } }).filter((line) => line.day >= '2026-02-01'),
    )
    expect(
      (await shown())
        .map(({ service }) => service)
        .map(String)
        .toSorted(),
    ).toEqual(['Service 0', 'null'])
    const [rest] = await scopes()
    expect(rest?.[0]).toBe('team=a')
    expect(rest?.[2]).toBeGreaterThanOrEqual(85)
    expect(rest?.[2]).toBeLessThanOrEqual(86)
  })

  test('another tag for the same resources, or their first one, is no rise', async () => {
    const { load, scopes, sourceId } = await made('team')
    const moved = smallCosts(60, {
      services: 60,
      tags: (service, index) => {
        const { team } = teamOf(service)
        // On the 50th day team b takes most of what a has, and c is tagged at last.
        if (index >= 50 && team === 'a' && service > 5) return { team: 'b' }
        return team === 'c' && index < 50 ? {} : { team }
      },
    })
    await load(sourceId, moved)
    expect(await scopes()).toEqual([])
  })

  test('the 50 values with most cost are scored; one that is left out goes, unless it has anomalies', async () => {
    const { bills, load, sourceId } = await made('team')
    const many = (from: string, count: number, dear: number) =>
      smallCosts(count, { services: 60, from, tags: (service) => ({ team: `t${service}` }) }).map(
        (line) => ({
          ...line,
          effective: (line.tags['team'] ?? '') < `t${dear}` ? 20 : 10,
        }),
      )
    const names = async () =>
      (
        await bills.ask(
          `select scope_value as name from anomaly_series where scope_kind = 'tag' order by 1`,
        )
      ).map(({ name }) => name)
    await load(sourceId, many(scopeFirstDay, 59, 30))
    expect(await names()).toHaveLength(50)
    const before = await names()
    const reversed = many('2026-03-01', 31, 0).map((line) => ({
      ...line,
      effective: before.slice(0, 5).includes(line.tags['team'] ?? '') ? 1 : line.effective,
    }))
    await load(sourceId, reversed)
    expect(await names()).toHaveLength(50)
    for (const name of before.slice(0, 5)) expect(await names()).not.toContain(name)
  })

  test('a value of 5,000 characters with an equals sign is one', async () => {
    const { load, scopes, sourceId } = await made('team')
    const long = `x=${'y'.repeat(5_000)}`
    await load(sourceId, [
      ...smallCosts(60, { at: { 59: 280 }, tags: () => ({ team: long }) }),
      ...smallCosts(60, { services: 100 }).map((line) => ({
        ...line,
        service: `Other ${line.service}`,
      })),
    ])
    expect(await scopes()).toEqual([[`team=${long}`, day(59), 80]])
  })
})
