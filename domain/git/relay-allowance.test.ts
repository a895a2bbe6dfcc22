import { expect, test } from 'vitest'
import { relayAllowance } from './relay-allowance.ts'

const sourcesOf = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({
    host: 'h',
    repository: 'a/b',
    ref: `v${from + at}`,
  }))

test('one of 32,500 refs of a repository is looked up, however many names are asked', () => {
  const allowance = relayAllowance([])
  const begun = performance.now()
  for (let from = 0; from < 32_500; from += 500) allowance.add(sourcesOf(from, 500))
  expect(allowance.all()).toHaveLength(32_500)
  const refs = allowance.refsOf('h', 'a/b')
  let found = 0
  for (let at = 0; at < 50_000; at += 1) if (refs?.has(`refs/tags/v${at}`)) found += 1
  expect(found).toBe(32_500)
  // With each ref compared with each name it took minutes.
  expect(performance.now() - begun).toBeLessThan(2_000)
})

test('a ref is named by itself, below refs/, as a branch and as a tag; later ones too', () => {
  const allowance = relayAllowance(sourcesOf(1, 1))
  const refs = allowance.refsOf('h', 'a/b')
  const asked = ['v1', 'refs/v1', 'refs/heads/v1', 'refs/tags/v1', 'refs/pull/v1', 'v2', 'refs/v11']
  expect(asked.filter((name) => refs?.has(name))).toEqual(asked.slice(0, 4))
  allowance.add(sourcesOf(2, 1))
  expect(allowance.refsOf('h', 'a/b')?.has('v2')).toBe(true)
  expect(allowance.refsOf('h', 'a/b')?.hasCommit('refs/heads/v2')).toBe(false)
})

test('a source without a ref names none, and one of each repository is listed', () => {
  const sources = [
    { host: 'h', repository: 'a/b', ref: undefined },
    { host: 'h', repository: 'A/c', ref: 'v1' },
    { host: 'h', repository: 'a/B', ref: 'v1' },
  ]
  const allowance = relayAllowance(sources.slice(0, 1))
  expect(allowance.refsOf('h', 'a/b')?.has('refs/heads/main')).toBe(false)
  allowance.add(sources.slice(1))
  expect(allowance.all()).toHaveLength(3)
  expect(allowance.refsOf('H', 'A/b')?.has('refs/tags/v1')).toBe(true)
})
