import { expect, test } from 'vitest'
import { stateOfIngest, stateOfSource } from './ingest-state.ts'

test.each([
  [[], 'unchanged'],
  [['unchanged', 'waiting'], 'unchanged'],
  [['loaded', 'unchanged'], 'loaded'],
  [['superseded'], 'loaded'],
  [['loaded', 'suspect'], 'partial'],
  [['refused', 'unchanged'], 'failed'],
  [['discarded'], 'unchanged'],
] as const)('a source with slices %j is %s', (slices, state) => {
  expect(stateOfSource(slices)).toBe(state)
})

test.each([
  [[], 'succeeded'],
  [['skipped', 'unchanged', 'loaded'], 'succeeded'],
  [['failed', 'loaded'], 'partial'],
  [['partial'], 'partial'],
  [['failed', 'unchanged', 'skipped'], 'failed'],
] as const)('an ingest with sources %j is %s', (sources, state) => {
  expect(stateOfIngest(sources)).toBe(state)
})
