import { expect, test } from 'vitest'
import type { Place } from '../../../domain/clouds/cloud-account.ts'
import type { Cloud, CloudTarget } from '../../../gateways/clouds/cloud.ts'
import type { CloudAnswer } from './scripted-cloud.ts'

const whole: Place = { region: '', service: '', state: 'ok', reason: null }
const metadata = 'http://169.254.169.254/latest/'

type Subject = {
  open: (more?: Partial<CloudTarget>) => Promise<Cloud>
  /** Where the scripted cloud is. */
  url: () => string
  /** Replaces its answer to the call that lists resources. */
  list: (answer: () => CloudAnswer) => void
  /** A page of one resource, or an empty one that goes on at this token. */
  page: (token?: string) => CloudAnswer
}

/** What a cloud that lists the whole account in one place may answer, and where it may not be. */
export function testBadAnswers({ open, url, list, page }: Subject): void {
  const names = async (cloud: Cloud) => (await cloud.resources(whole, null)).resources.length

  test('half a page and a reset: the page is asked for again and comes whole', async () => {
    let cuts = 1
    list(() => ({ ...page(), ...((cuts -= 1) >= 0 && { cutAt: 10 }) }))
    expect(await names(await open())).toBe(1)
  })

  test('a page token that repeats ends the walk', async () => {
    list(() => page('same'))
    const cloud = await open()
    const { next } = await cloud.resources(whole, null)
    await expect(cloud.resources(whole, next)).rejects.toMatchObject({ kind: 'page_token' })
  })

  test.each(['http://127.0.0.1:1', 'https://localhost', metadata])(
    '400 address_not_allowed: %s as host of tokens and as host of resources',
    async (elsewhere) => {
      for (const endpoints of [
        { identity: elsewhere, resources: url() },
        { identity: url(), resources: elsewhere },
      ]) {
        const cloud = await open({ endpoints })
        const refused = { fault: 'invalid', code: 'address_not_allowed' }
        await expect(cloud.validate()).rejects.toMatchObject(refused)
        await expect(cloud.resources(whole, null)).rejects.toMatchObject(refused)
      }
    },
  )

  test.each([302, 307])('400 address_not_allowed: a redirect there, %i', async (status) => {
    list(() => ({ status, headers: { location: metadata } }))
    const refused = { code: 'address_not_allowed' }
    await expect((await open()).resources(whole, null)).rejects.toMatchObject(refused)
  })
}
