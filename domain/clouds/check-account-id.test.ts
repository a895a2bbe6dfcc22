import { expect, test } from 'vitest'
import { checkAccountId } from './check-account-id.ts'
import { cloudProviders, type CloudProvider } from './cloud-account.ts'

test.each<[CloudProvider, string, string]>([
  ['aws', '123456789012', '123456789012'],
  ['azure', '8D65815F-A5B6-402F-9298-045155DA7D74', '8d65815f-a5b6-402f-9298-045155da7d74'],
  ['azure', 'managementgroups/Platform.Prod', 'managementGroups/platform.prod'],
  ['gcp', 'billing-export-42', 'billing-export-42'],
  ['gcp', 'example.com:old-project', 'example.com:old-project'],
  ['gcp', 'folders/123', 'folders/123'],
  ['gcp', 'organizations/123', 'organizations/123'],
])('%s: %s is an account', (provider, id, stored) => {
  expect(checkAccountId(provider, id)).toBe(stored)
})

test.each<[CloudProvider, string]>([
  ['aws', '12345678901'],
  ['aws', '1234567890123'],
  ['aws', '١٢٣٤٥٦٧٨٩٠١٢'],
  ['aws', '123456789012\n'],
  ['azure', '8d65815fa5b6402f9298045155da7d74'],
  ['azure', 'managementGroups/'],
  ['azure', 'managementGroups/ends.'],
  ['azure', 'managementGroups/a/../b'],
  ['gcp', 'Upper-Case'],
  ['gcp', 'five5'],
  ['gcp', 'ends-with-'],
  ['gcp', 'folders/'],
  ['gcp', 'organizations/abc'],
  ['gcp', 'projects/a-project'],
])('%s: %s is refused', (provider, id) => {
  expect(() => checkAccountId(provider, id)).toThrow(/accountId/)
})

test.each([...cloudProviders])('%s: an empty id is refused', (provider) => {
  expect(() => checkAccountId(provider, '')).toThrow(/accountId/)
})
