import { describe, expect, test } from 'vitest'
import { relayPath } from './relay-path.ts'

const refs = '/info/refs?service=git-upload-pack'

describe('what a relay takes', () => {
  test.each([
    ['GET', `/cap/github.com/acme/mods.git${refs}`, '/acme/mods.git'],
    ['GET', `/cap/github.com/acme/mods${refs}`, '/acme/mods.git'],
    ['POST', '/cap/git.corp.example:8443/scm/~ada/mods.git/git-upload-pack', '/scm/~ada/mods.git'],
    ['POST', '/cap/gitlab.com/a/b/c/d.e/git-upload-pack', '/a/b/c/d.e.git'],
  ])('%s %s', (method, url, path) => {
    expect(relayPath(method, url)?.path.startsWith(path)).toBe(true)
    expect(relayPath(method, url)?.capability).toBe('cap')
  })

  test.each([
    ['POST', '/cap/github.com/acme/mods.git/git-receive-pack'],
    ['GET', '/cap/github.com/acme/mods.git/info/refs?service=git-receive-pack'],
    ['GET', '/cap/github.com/acme/mods.git/info/refs'],
    ['GET', `/cap/github.com/acme/mods.git/info/refs?service=git-receive-pack&x=${refs}`],
    ['GET', '/cap/github.com/acme/mods.git/HEAD'],
    ['GET', '/cap/github.com/api/v3/user'],
    ['PUT', `/cap/github.com/acme/mods.git${refs}`],
    ['GET', '/cap/github.com/acme/mods.git/git-upload-pack'],
    ['GET', `/cap/github.com/acme/../evil/mods.git${refs}`],
    ['GET', `/cap/github.com/acme/%2e%2e/mods.git${refs}`],
    ['GET', `/cap/github.com/acme//mods.git${refs}`],
    ['GET', `/cap/github.com/acme/mods.git?x=/y${refs}`],
    ['GET', `/cap/github.com/acme/mods.git#/y${refs}`],
    ['GET', `/cap/user:pass@github.com/acme/mods.git${refs}`],
    ['GET', `/cap/github.com/acme\\mods/x${refs}`],
    ['GET', `/cap/github.com/mods.git${refs}`],
    ['GET', `//github.com/acme/mods.git${refs}`],
    ['GET', `http://github.com/acme/mods.git${refs}`],
    ['GET', `/cap/github.com/${'a/'.repeat(30)}mods.git${refs}`],
  ])('nothing else: %s %s', (method, url) => {
    expect(relayPath(method, url)).toBeUndefined()
  })
})
