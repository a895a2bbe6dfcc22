import { expect, test } from 'vitest'
import { isOwnHost } from './own-hosts.ts'

test('the clouds’ own API hosts are known', () => {
  expect(isOwnHost('aws', 'sts.amazonaws.com')).toBe(true)
  expect(isOwnHost('aws', 'sts.eu-central-1.amazonaws.com')).toBe(true)
  expect(isOwnHost('aws', 'vpce-0a1-b2.sts.eu-west-1.vpce.amazonaws.com')).toBe(true)
  expect(isOwnHost('azure', 'login.microsoftonline.com')).toBe(true)
  expect(isOwnHost('azure', 'Management.azure.com')).toBe(true)
  expect(isOwnHost('gcp', 'sts.googleapis.com')).toBe(true)
})

test('a host that anybody can have is not the cloud’s own', () => {
  for (const host of [
    'abc.execute-api.eu-west-1.amazonaws.com',
    'ec2-1-2-3-4.compute-1.amazonaws.com',
    'sts.attacker.execute-api.eu-west-1.amazonaws.com',
    'vpce-1.vpce-svc-2.eu-west-1.vpce.amazonaws.com',
    'sts.amazonaws.com.attacker.example',
  ])
    expect(isOwnHost('aws', host), host).toBe(false)
  expect(isOwnHost('azure', 'login.microsoftonline.com.attacker.example')).toBe(false)
  expect(isOwnHost('azure', 'attacker.azurewebsites.net')).toBe(false)
  expect(isOwnHost('gcp', 'attacker.run.app')).toBe(false)
  expect(isOwnHost('gcp', 'sts.amazonaws.com')).toBe(false)
})
