import { describe, expect, test } from 'vitest'
import { idOfSource, narrowed } from './cost-words.ts'

const source = (of: { accountId: number | null; source: string | null; name: string }) => ({
  ...of,
  completeThrough: null,
  ingestedAt: null,
})
const account = source({ accountId: 12, source: null, name: 'production' })
const upload = source({ accountId: null, source: '12', name: '12' })
const series = { groupBy: 'account' as const, tagKey: null, freshness: [account, upload] }

describe('the search of one source', () => {
  test('an upload that is named as an account’s id is not that account', () => {
    const found = { groupBy: 'service' }
    expect(narrowed({}, series, { key: '12', label: 'production' })).toEqual({
      ...found,
      accountId: 12,
    })
    expect(narrowed({}, series, { key: '12', label: '12' })).toEqual({ ...found, source: '12' })
    expect(idOfSource(account)).not.toBe(idOfSource(upload))
  })

  test('a source that was removed has none', () => {
    expect(narrowed({}, series, { key: '7', label: 'a removed source' })).toBeUndefined()
  })

  test('of more sources than are listed, an upload is known by its key being its name', () => {
    const rest = { sources: 1, completeThrough: null }
    const many = { ...series, freshness: [], freshnessRest: rest }
    expect(narrowed({}, many, { key: '7', label: '7' })).toMatchObject({ source: '7' })
    expect(narrowed({}, many, { key: '7', label: 'staging' })).toMatchObject({ accountId: 7 })
  })
})

test('what has none of a region, a sub-account or a tag is a search, and of a service it is not', () => {
  const none = { key: null, label: 'none' }
  const by = (groupBy: 'region' | 'subAccount' | 'tag' | 'service') => ({
    ...series,
    groupBy,
    tagKey: 'team',
  })
  expect(narrowed({}, by('region'), none)).toMatchObject({ region: '' })
  expect(narrowed({}, by('subAccount'), none)).toMatchObject({ subAccountId: '' })
  expect(narrowed({}, by('tag'), none)).toMatchObject({ tagKey: 'team', untagged: true })
  expect(narrowed({}, by('tag'), { key: '', label: 'team=' })).toMatchObject({ tagValue: '' })
  expect(narrowed({}, by('service'), { key: '', label: '' })).toBeUndefined()
})
