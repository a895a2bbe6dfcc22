import { expect, test } from 'vitest'
import { matchPrice, orderPrices } from './match-price.ts'

const entry = {
  id: 1,
  resourceType: 'google_compute_instance',
  match: {},
  monthlyPrice: '5',
  currency: 'USD',
  source: 'bill',
  validFrom: '2026-01-01',
}

const registry = 'registry.opentofu.org'
test.each<[string, string, 'price' | 'none']>([
  ['google', `${registry}/hashicorp/google`, 'price'],
  ['google', `${registry}/hashicorp/google-beta`, 'price'],
  ['hashicorp/google', `${registry}/hashicorp/google-beta`, 'price'],
  [`${registry}/hashicorp/google`, `${registry}/hashicorp/google-beta`, 'price'],
  ['google-beta', `${registry}/hashicorp/google-beta`, 'price'],
  ['google-beta', `${registry}/hashicorp/google`, 'none'],
  ['google', `${registry}/hashicorp/google-gamma`, 'none'],
  ['azure', `${registry}/hashicorp/azurerm`, 'none'],
  ['oogle', `${registry}/hashicorp/google-beta`, 'none'],
])('a price of %s for a resource of %s: %s', (provider, providerName, found) => {
  const book = orderPrices([{ ...entry, provider }], new Date('2026-11-21T10:00:00Z'))
  const object = { type: entry.resourceType, providerName, values: {}, unknown: {} }
  expect(matchPrice(book, object).found).toBe(found)
})
