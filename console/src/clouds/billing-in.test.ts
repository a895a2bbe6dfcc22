import { expect, test } from 'vitest'
import { billingIn } from './billing-in.ts'

function form(fields: Record<string, string>): FormData {
  const made = new FormData()
  for (const [name, value] of Object.entries(fields)) made.set(`billing-${name}`, value)
  return made
}

test('bills that are not read', () => {
  expect(billingIn(form({ from: 'none' }), 'aws')).toBeNull()
  expect(billingIn(new FormData(), 'aws')).toBeNull()
})

test('an export of AWS, whose path may be empty', () => {
  const typed = { from: 'files', bucket: ' bills ', prefix: '', region: 'eu-west-1' }
  expect(billingIn(form({ ...typed, exportName: 'focus', endpoint: '' }), 'aws')).toEqual({
    bucket: 'bills',
    prefix: '',
    region: 'eu-west-1',
    exportName: 'focus',
  })
})

test('an export of Azure, with a secret or by the sign-in of the account', () => {
  const typed = { from: 'files', storageAccount: 'bills', container: 'costs', directory: 'focus' }
  const { from: _, ...billing } = typed
  expect(billingIn(form({ ...typed, sasToken: '', connectionString: '' }), 'azure')).toEqual(
    billing,
  )
  expect(billingIn(form({ ...typed, sasToken: 'sv=1' }), 'azure')).toEqual({
    ...billing,
    sasToken: 'sv=1',
  })
})

test('a table of BigQuery without a bucket, and the files of a bucket', () => {
  const table = { projectId: 'acme-bills', dataset: 'billing', table: 'focus' }
  expect(billingIn(form({ ...table, from: 'table', bucket: '', prefix: '' }), 'gcp')).toEqual(table)
  expect(billingIn(form({ from: 'files', bucket: 'bills', prefix: '' }), 'gcp')).toEqual({
    bucket: 'bills',
    prefix: '',
  })
})
