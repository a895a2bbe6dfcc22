import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hasBwrap, why } from '../sandbox/shell-sandbox.ts'
import { relayBench, type RelayBench } from './relay-bench.ts'

// What an attacker's program in a run's init can read through the relay, with real git and with own
// requests.
for (const kind of ['bubblewrap', 'process'] as const)
  describe.skipIf(kind === 'bubblewrap' && !hasBwrap)(
    `what the Git relay of a run in ${kind} reads (${why})`,
    () => {
      let setup: RelayBench
      let { peer, host, fetched, refusals, open, inside, base } = {} as RelayBench
      beforeAll(async () => {
        setup = await relayBench(kind)
        ;({ peer, host, fetched, refusals, open, inside, base } = setup)
      })
      afterAll(() => setup?.close())
      beforeEach(() => setup.forget())

      test('403: another repository that the token may read, by any form of request', async () => {
        await peer.createRepository('acme/secret', { 'main.tf': '# secret\n' })
        const run = await open()
        const at = `${base(run)}acme/secret.git`
        const end = await inside(
          run,
          `git clone http://${host}/acme/secret 2>&1; git clone http://${host}/Acme/../acme/secret 2>&1; ` +
            `curl -s -w '%{http_code}' '${at}/info/refs?service=git-upload-pack'; ` +
            `printf 0000 | curl -s -w '%{http_code}' --data-binary @- ${at}/git-upload-pack; ls`,
        )
        expect(end.text).toContain(`${host}/acme/secret is named by no module source`)
        expect(end.text.match(/403/g)?.length).toBeGreaterThanOrEqual(2)
        expect(end.text).not.toMatch(/^secret$/m)
        expect(peer.server.calls).toEqual([])
        expect(refusals).toHaveLength(1)
        expect(fetched).toEqual([])
        await run.bench.close()
      })

      test('403: a ref that no source names is neither listed nor fetched', async () => {
        await peer.createRepository('acme/refs', { 'main.tf': '# open\n' })
        await peer.branch('acme/refs', 'main', 'hidden')
        await peer.edit('acme/refs', { branch: 'hidden', write: { 'main.tf': '# hidden\n' } })
        const all = await open({ named: ['acme/refs?ref=${v}'] })
        const seen = await inside(all, `git ls-remote http://${host}/acme/refs`)
        const id = /^([0-9a-f]{40})\trefs\/heads\/hidden$/m.exec(seen.text)?.[1] ?? ''
        expect(id).not.toBe('')
        await all.bench.close()

        const run = await open({ named: ['acme/refs'] })
        const end = await inside(
          run,
          `git ls-remote http://${host}/acme/refs; git -c protocol.version=0 ls-remote http://${host}/acme/refs; ` +
            `git clone -q http://${host}/acme/refs && cd refs && cat main.tf && git branch -r; ` +
            `git fetch origin ${id} 2>&1; git fetch origin hidden 2>&1; git cat-file -t ${id} 2>&1`,
        )
        expect(end.text).toContain('# open')
        expect(end.text).toContain('origin/main')
        expect(end.text).not.toMatch(/refs\/heads\/hidden$/m)
        expect(end.text.match(/refs\/heads\/main$/gm)).toHaveLength(2)
        expect(end.text).toContain('HTTP 403')
        expect(refusals).toEqual([
          `${host}/acme/refs: ${id} is no ref that a module source of this configuration names.`,
        ])
        expect(end.text).not.toMatch(/^commit$/m)
        await run.bench.close()

        const named = await open({ named: ['acme/refs?ref=hidden'] })
        const clone = `git clone -q http://${host}/acme/refs && cd refs && git checkout -q hidden && cat main.tf`
        expect((await inside(named, clone)).text).toBe('# hidden')
        await named.bench.close()

        const commit = await open({ named: [`acme/refs?ref=${id}`] })
        const checkout = `git clone -q http://${host}/acme/refs && cd refs && git checkout -q ${id} && cat main.tf`
        expect((await inside(commit, checkout)).text).toBe('# hidden')
        await commit.bench.close()
      })
    },
  )
