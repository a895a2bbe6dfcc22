import { expect, test } from 'vitest'
import { checkBilling } from './check-billing.ts'

const billing = { storageAccount: 'acct', container: 'focus', directory: 'd' }

test.each([
  'https://acct.blob.core.windows.net',
  'https://acct.blob.core.usgovcloudapi.net/',
  'https://acct.z12.blob.storage.azure.net',
  'https://acct.privatelink.blob.core.windows.net',
  'http://127.0.0.1:10000/acct',
  'https://proxy.example/acct/',
])('%s is an endpoint of the storage account', (endpoint) => {
  expect(checkBilling('azure', { ...billing, endpoint }).billing).toMatchObject({ endpoint })
})

test.each([
  'https://other.blob.core.windows.net',
  'https://acct2.blob.core.windows.net',
  'https://proxy.example',
  'http://127.0.0.1:10000/other',
  'http://127.0.0.1:10000/x/acct',
])('%s is another one', (endpoint) => {
  expect(() => checkBilling('azure', { ...billing, endpoint })).toThrow(
    /^billing\.endpoint: is not the blob endpoint of acct/,
  )
})
