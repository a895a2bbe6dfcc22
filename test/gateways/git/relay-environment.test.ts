import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import type { RelayHost } from '../../../gateways/git/relay-environment.ts'
import { relayEnvironment } from '../../../gateways/git/relay-environment.ts'

const hosts: RelayHost[] = [
  { host: 'github.com', origin: 'https://github.com', product: 'github' },
  {
    host: 'git.corp.example:8443',
    origin: 'https://git.corp.example:8443',
    product: 'bitbucket-data-center',
  },
]
const relay = 'http://127.0.0.1:8202/cap/'

/** The address that git uses for this address. */
function asked(address: string, env: Record<string, string> = {}): string {
  return execFileSync('git', ['ls-remote', '--get-url', address], {
    env: {
      PATH: '/usr/bin:/bin',
      GIT_CONFIG_NOSYSTEM: '1',
      ...env,
      ...relayEnvironment(relay, hosts, env),
    },
    cwd: '/',
  })
    .toString()
    .trim()
}

describe('git’s environment for the relay', () => {
  test.each([
    ['https://github.com/acme/mods.git', `${relay}github.com/acme/mods.git`],
    ['ssh://git@github.com/acme/mods.git', `${relay}github.com/acme/mods.git`],
    ['git@github.com:acme/mods.git', `${relay}github.com/acme/mods.git`],
    ['https://git.corp.example:8443/scm/a/b.git', `${relay}git.corp.example:8443/scm/a/b.git`],
    [
      'https://github.com.evil.example/acme/mods.git',
      'https://github.com.evil.example/acme/mods.git',
    ],
    ['https://ada:pw@github.com/acme/mods.git', 'https://ada:pw@github.com/acme/mods.git'],
    ['https://gitlab.com/acme/mods.git', 'https://gitlab.com/acme/mods.git'],
  ])('%s', (address, where) => {
    expect(asked(address)).toBe(where)
  })

  test('a workspace’s own settings are kept, and take precedence for their address', () => {
    const own = {
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'url.https://mirror.example/.insteadOf',
      GIT_CONFIG_VALUE_0: 'https://github.com/',
    }
    expect(asked('https://github.com/acme/mods.git', own)).toBe(
      'https://mirror.example/acme/mods.git',
    )
    expect(asked('git@github.com:acme/mods.git', own)).toBe(`${relay}github.com/acme/mods.git`)
  })

  test('an invalid GIT_CONFIG_COUNT is not extended', () => {
    expect(relayEnvironment(relay, [], { GIT_CONFIG_COUNT: 'many' })).toEqual({
      GIT_CONFIG_COUNT: '0',
    })
  })
})
