import { describe, expect, test } from 'vitest'
import { anyRef, moduleSources, parseSource } from './module-sources.ts'
import { relayAllowance } from './relay-allowance.ts'

describe('the repository that a module source names', () => {
  const gh = { host: 'github.com', repository: 'acme/mods' }
  test.each([
    ['git::https://github.com/acme/mods.git', { ...gh, ref: undefined }],
    ['git::https://github.com/acme/mods//net?ref=v1.2.0', { ...gh, ref: 'v1.2.0' }],
    [
      'git::https://user:x@GitHub.com:443/acme/mods.git?depth=1&ref=feature%2Fa',
      { ...gh, ref: 'feature/a' },
    ],
    ['git::ssh://git@github.com/acme/mods.git?ref=main', { ...gh, ref: 'main' }],
    ['ssh://git@github.com:22/acme/mods', { ...gh, ref: undefined }],
    ['git@github.com:acme/mods.git//net', { ...gh, ref: undefined }],
    ['github.com/acme/mods//net?ref=main', { ...gh, ref: 'main' }],
    [
      'git::http://127.0.0.1:8080/a/b/c.git',
      { host: '127.0.0.1:8080', repository: 'a/b/c', ref: undefined },
    ],
    [
      'git::https://git.corp/scm/ops/mods.git',
      { host: 'git.corp', repository: 'scm/ops/mods', ref: undefined },
    ],
    // Only the ref is computed: the repository is named.
    ['git::https://github.com/acme/mods.git?ref=${var.version}', { ...gh, ref: anyRef }],
  ])('%s', (text, source) => {
    expect(parseSource(text)).toEqual(source)
  })

  test.each([
    './modules/net',
    'hashicorp/consul/aws',
    'https://example.com/module.zip',
    's3::https://s3.amazonaws.com/bucket/module.zip',
    'git::https://github.com/${var.owner}/mods.git',
    'git::https://%{ if true }github.com%{ endif }/acme/mods.git',
    'git::file:///etc',
    'git::https://github.com/',
  ])('none: %s', (text) => {
    expect(parseSource(text)).toBeUndefined()
  })

  test('is found in HCL, JSON and a comment, once', () => {
    const hcl = 'module "a" {\n  source    = "git::https://github.com/acme/a.git"\n}\n'
    const json = JSON.stringify({ module: { b: { source: 'git::https://github.com/acme/b.git' } } })
    const note = '# source = "git::https://github.com/acme/c.git?ref=v1"\nresource_source = "x"\n'
    expect(moduleSources([hcl, json, note, hcl]).map(({ repository }) => repository)).toEqual([
      'acme/a',
      'acme/b',
      'acme/c',
    ])
  })

  test('a text of its worst form is read in linear time', () => {
    const begun = performance.now()
    for (const worst of [
      'source="',
      'source = "\\',
      'source ',
      'source="\\"',
      `source${' '.repeat(63)}`,
    ])
      expect(moduleSources([worst.repeat(20_000)])).toEqual([])
    expect(performance.now() - begun).toBeLessThan(1_000)
  })
})

describe('what a run may read', () => {
  const allowance = (...texts: string[]) =>
    relayAllowance(texts.flatMap((text) => parseSource(text) ?? []))

  test('a named repository, in any case, and no other', () => {
    const named = allowance('git::https://github.com/Acme/mods.git')
    expect(named.refsOf('GitHub.com', 'acme/Mods')).toBeDefined()
    expect(named.refsOf('github.com', 'acme/secrets')).toBeUndefined()
    expect(named.refsOf('github.com', 'acme/mods/x')).toBeUndefined()
    expect(named.refsOf('github.com:444', 'acme/mods')).toBeUndefined()
  })

  test('its named refs, as branch, tag or whole name', () => {
    const refs = allowance(
      'git::https://h/a/b.git?ref=v1',
      'git::https://h/a/b.git?ref=heads/next',
    ).refsOf('h', 'a/b')
    const asked = [
      'refs/heads/v1',
      'refs/tags/v1',
      'refs/heads/next',
      'refs/heads/main',
      'refs/heads/v1/x',
      'refs/pull/v1',
    ]
    expect(asked.filter((name) => refs?.has(name))).toEqual([
      'refs/heads/v1',
      'refs/tags/v1',
      'refs/heads/next',
    ])
  })

  test('every branch where a commit is named or the ref is computed: it may be on any', () => {
    const id = 'a'.repeat(40)
    const refs = allowance(`git::https://h/a/b.git?ref=${id}`).refsOf('h', 'a/b')
    expect(refs?.has('refs/heads/other')).toBe(true)
    expect([id, 'b'.repeat(40)].map((one) => refs?.hasCommit(one))).toEqual([true, false])
    expect(
      allowance('git::https://h/a/b.git?ref=${var.v}').refsOf('h', 'a/b')?.has('refs/heads/x'),
    ).toBe(true)
  })
})
