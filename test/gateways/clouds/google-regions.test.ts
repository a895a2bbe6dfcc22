import { generateKeyPairSync } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Place } from '../../../domain/clouds/cloud-account.ts'
import { openedClouds } from '../../harness/clouds/opened-clouds.ts'
import {
  assetsOf,
  type ScriptedGoogle,
  startScriptedGoogle,
} from '../../harness/clouds/scripted-google.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const credentials = {
  serviceAccountKey: JSON.stringify({
    type: 'service_account',
    client_email: 'reader@project-42.iam.gserviceaccount.com',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }),
}
const whole: Place = { region: '', service: '', state: 'ok', reason: null }

describe('a Google account that names regions', () => {
  let google: ScriptedGoogle
  beforeAll(async () => {
    google = await startScriptedGoogle()
  })
  afterEach(() => google.reset())
  afterAll(async () => google.cloud.stop())
  const openAt = openedClouds({ provider: 'gcp', accountId: 'project-42', credentials })
  const open = async (regions: string[]) => openAt(google.cloud, { regions })
  const asset = (name: string, location: string) => ({ name: `//compute/${name}`, location })
  /** All pages, each asked for as after a crash. */
  const listed = async (regions: string[]) => {
    const names: string[] = []
    let cursor: string | null = null
    do {
      const page = await (await open(regions)).resources(whole, cursor)
      names.push(...page.resources.map(({ name }) => name))
      cursor = page.next
    } while (cursor !== null)
    return names
  }
  const queries = () =>
    google.cloud.asked
      .filter(({ path }) => path.endsWith(':searchAllResources'))
      .map(({ query }) => query.get('query')?.split(' OR ').length)

  test('its zones are listed too, and no other place with its words', async () => {
    google.handlers.search = assetsOf([
      asset('zonal', 'us-central1-a'),
      asset('regional', 'us-central1'),
      asset('tenth', 'us-central10-a'),
      asset('other', 'x-us-central1'),
    ])
    expect(await listed(['us-central1'])).toEqual(['zonal', 'regional'])
  })

  test('11 of them: Google takes 10 in a query, so it is asked twice, each time page by page', async () => {
    const regions = Array.from({ length: 11 }, (_, n) => `europe-west${n + 1}`)
    const inFirst = ['a', 'b', 'c'].map((zone) => asset(`first-${zone}`, `europe-west1-${zone}`))
    const inLast = ['a', 'b', 'c'].map((zone) => asset(`last-${zone}`, `europe-west11-${zone}`))
    google.handlers.search = assetsOf([...inLast, ...inFirst], 2)
    expect(await listed(regions)).toEqual([
      'first-a',
      'first-b',
      'first-c',
      'last-a',
      'last-b',
      'last-c',
    ])
    expect(queries()).toEqual([10, 10, 1, 1])
    expect((await (await open(regions)).validate()).checks[1]).toMatchObject({ state: 'ok' })
  })

  test('100 of them, of which the last alone has resources', async () => {
    const regions = Array.from({ length: 100 }, (_, n) => `europe-west${n + 1}`)
    google.handlers.search = assetsOf([asset('last', 'europe-west100-a')])
    expect(await listed(regions)).toEqual(['last'])
    expect(queries()).toEqual(Array.from({ length: 10 }, () => 10))
  })

  test('a page token of other regions is refused', async () => {
    const regions = Array.from({ length: 11 }, (_, n) => `europe-west${n + 1}`)
    for (const cursor of ['a-token', '2 '])
      await expect((await open(regions)).resources(whole, cursor)).rejects.toMatchObject({
        kind: 'page_token',
      })
  })
})
