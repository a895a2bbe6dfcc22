import { afterEach, describe, expect, test } from 'vitest'
import { GitRefusal } from '../../../gateways/git/git-refusal.ts'
import { retryAfterSeconds } from '../../../gateways/outbound/retry-after.ts'

const now = Date.UTC(2026, 10, 6, 8, 49, 37)
const zone = process.env['TZ']

afterEach(() => {
  if (zone === undefined) delete process.env['TZ']
  else process.env['TZ'] = zone
})

describe.each(['UTC', 'America/Los_Angeles', 'Asia/Tokyo'])('on a host in %s', (place) => {
  test.each([
    ['120', 120],
    ['0', 0],
    ['Fri, 06 Nov 2026 08:51:37 GMT', 120],
    ['Friday, 06-Nov-26 08:51:37 GMT', 120],
    ['Fri Nov  6 08:51:37 2026', 120],
    ['Fri, 06 Nov 2026 08:00:00 GMT', 0],
    ['1.5', undefined],
    ['-1', undefined],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
    [null, undefined],
  ])('%s asks to wait for %s seconds', (header, seconds) => {
    process.env['TZ'] = place
    expect(retryAfterSeconds(header, now)).toBe(seconds)
  })

  test('the limit of a Git host is over at the moment that it names in the oldest form', () => {
    process.env['TZ'] = place
    const moment = new Date(Date.now() + 120_000)
    const [day, date, month, year, time] = moment.toUTCString().replace(',', '').split(' ')
    const headers = new Headers({
      'retry-after': `${day} ${month} ${String(Number(date)).padStart(2)} ${time} ${year}`,
    })
    const { retryAfterSeconds: seconds } = new GitRefusal('GitLab', { status: 429, headers })
    expect(seconds).toBeGreaterThan(110)
    expect(seconds).toBeLessThan(122)
  })
})
