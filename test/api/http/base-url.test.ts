import { expect, test } from 'vitest'
import { readConfig } from '../../../config.ts'

const read = (value: string) =>
  readConfig({
    DATABASE_URL: 'postgres://nobody@localhost/none',
    TEMPORAL_ADDRESS: 'localhost:1',
    CC_KEYRING: `k1=${Buffer.alloc(32, 1).toString('base64')}`,
    CC_BASE_URL: value,
  }).baseUrl

test.each([
  ['https://Control.example.com', 'https://control.example.com'],
  ['https://control.example.com:443/', 'https://control.example.com'],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
])('CC_BASE_URL=%s is the origin that changes must come from', (value, origin) => {
  expect(read(value)).toBe(origin)
})

// The origin of the first three is "null", which is also the origin of a sandboxed frame of any
// site.
test.each([
  'localhost:8080',
  'data:text/plain,x',
  'file:///srv',
  'control.example.com',
  'https://control.example.com/cloud',
])('CC_BASE_URL=%s is refused at the start', (value) => {
  expect(() => read(value)).toThrow(/CC_BASE_URL/)
})
