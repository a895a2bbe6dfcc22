import { expect, test } from 'vitest'
import { plannedRegion } from './planned-region.ts'

test.each<[string, Record<string, unknown>, string | undefined]>([
  ['the region of a regional cluster', { location: 'us-central1' }, 'us-central1'],
  ['the region of a zonal cluster', { location: 'us-central1-a' }, 'us-central1'],
  [
    'the region of a long name',
    { location: 'northamerica-northeast2-b' },
    'northamerica-northeast2',
  ],
  ['a location of Azure', { location: 'West US 2' }, 'westus2'],
  ['a location of many regions', { location: 'EU' }, 'eu'],
  ['a zone', { zone: 'europe-west4-c' }, 'europe-west4'],
  [
    'the region before the location',
    { region: 'europe-west1', location: 'us-central1-a' },
    'europe-west1',
  ],
  ['nothing', {}, undefined],
])('a resource is where its values say: %s', (_, values, region) => {
  expect(plannedRegion({ type: 'google_container_cluster', values })).toBe(region)
})

test('so is what a script makes', () => {
  const values = { input: { location: 'us-central1-f' } }
  expect(plannedRegion({ type: 'terraform_data', values })).toBe('us-central1')
})
