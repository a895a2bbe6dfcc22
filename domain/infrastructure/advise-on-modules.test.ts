import { describe, expect, test } from 'vitest'
import { adviseOnModules } from './advise-on-modules.ts'

/** As OpenTofu prints it: broken at 78 columns. */
const said = (address: string, words: string) =>
  [
    'Error: Failed to download module',
    '  on main.tf line 1:',
    `Could not download module "vpc" (main.tf:1) source code from`,
    `"git::${address}": error downloading`,
    `'${address}': /usr/bin/git exited with 128: Cloning into`,
    `'/bench/data/modules/vpc'...`,
    ...words.split('\n'),
  ] as const

describe('a module that could not be fetched', () => {
  test.each([
    [
      'https://github.com/acme/mods.git',
      "fatal: could not read Username for 'https://github.com': terminal prompts\ndisabled",
      'module "vpc": github.com asks for a credential and there is no Git connection to it: connect github.com',
    ],
    [
      'https://ada:pw@github.com/acme/mods.git',
      "fatal: Authentication failed for\n'https://ada:pw@github.com/acme/mods.git/'",
      'module "vpc": github.com rejects the credential in the module\'s address. Take it out and connect github.com',
    ],
    [
      'ssh://git@git.corp.example:7999/acme/mods.git',
      'ssh: Could not resolve hostname git.corp.example',
      'module "vpc": modules are not fetched over ssh. Name it as git::https://git.corp.example/…',
    ],
    [
      'https://github.com/acme/mods.git?ref=v9',
      'invalid ref: "v9"',
      'module "vpc": the repository has no branch, tag or commit v9.',
    ],
    [
      'https://github.com/acme/mods.git?ref=v9&depth=1',
      'fatal: Remote branch v9 not found in\nupstream origin',
      'module "vpc": the repository has no branch or tag v9.',
    ],
    [
      'https://git.corp.example/acme/mods.git',
      "fatal: unable to access 'https://git.corp.example/acme/mods.git/': Received\nHTTP code 403 from proxy after CONNECT",
      'module "vpc": git.corp.example is at a private address.',
    ],
    [
      'https://git.corp.example/acme/mods.git',
      "fatal: unable to access 'https://git.corp.example/acme/mods.git/': Received\nHTTP code 502 from proxy after CONNECT",
      'module "vpc": git.corp.example cannot be reached from the worker.',
    ],
    [
      'http://10.0.0.1/acme/mods.git',
      "fatal: unable to access 'http://10.0.0.1/acme/mods.git/': Failed to\nconnect",
      'module "vpc": 10.0.0.1 cannot be reached by a run',
    ],
  ])('%s: %s', (address, words, advice) => {
    const told = adviseOnModules(said(address, words))
    expect(told?.startsWith(advice), told).toBe(true)
    expect(told).not.toContain('pw')
  })

  test('all else OpenTofu says itself', () => {
    expect(adviseOnModules(['Error: Failed to query available provider packages'])).toBeUndefined()
    expect(
      adviseOnModules(said('https://x.example/a.zip', 'bad response code: 500')),
    ).toBeUndefined()
  })
})
