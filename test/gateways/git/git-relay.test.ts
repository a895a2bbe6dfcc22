import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { gitAuthorization } from '../../../gateways/git/git-authorization.ts'
import { hasBwrap, why } from '../sandbox/shell-sandbox.ts'
import { hideIn } from './hide-in.ts'
import { relayBench, type RelayBench } from './relay-bench.ts'

// Real git inside the sandbox, as in a run, against git's own http-backend behind a token.
for (const kind of ['bubblewrap', 'process'] as const)
  describe.skipIf(kind === 'bubblewrap' && !hasBwrap)(
    `the Git relay of a run in ${kind} (${why})`,
    () => {
      let setup: RelayBench
      let { peer, token, host, fetched, open, inside, base } = {} as RelayBench
      /** An attacker's server at the private address, which must get no request. */
      let trap: Server
      const heard: string[] = []

      beforeAll(async () => {
        setup = await relayBench(kind)
        ;({ peer, token, host, fetched, open, inside, base } = setup)
        trap = createServer((request, response) => {
          heard.push(`${request.url} ${request.headers.authorization}`)
          response.end()
        })
        await once(trap.listen(0, '127.0.0.1'), 'listening')
      })
      afterAll(async () => {
        await setup?.close()
        trap?.close()
      })
      beforeEach(() => setup.forget())

      test('git clones a private repository by its own address', async () => {
        const run = await open()
        const end = await inside(
          run,
          `git clone -q http://${host}/acme/mods && cat mods/net/main.tf`,
        )
        expect(end.text).toBe('# private')
        expect(fetched).toEqual([`${host}/acme/mods 1`])
        await run.bench.close()
      })

      test('the token is in no variable, process or file of the sandbox', async () => {
        const run = await open()
        const basic = gitAuthorization('gitlab', token).split(' ')[1] ?? ''
        await inside(
          run,
          `GIT_TRACE_CURL=1 GIT_TRACE=1 git clone http://${host}/acme/mods 2>trace; ` +
            `env > all; cat /proc/*/environ /proc/*/cmdline >> all 2>/dev/null`,
        )
        // Searched by a separate step, because a command line with the token would find itself.
        const look = `grep -rlaE '${token.slice(0, 20)}|${basic.slice(0, 20)}' all trace mods; ls mods`
        expect((await inside(run, look)).text).toBe('net\nrun.sh')
        const traced = await inside(
          run,
          'grep -c "127.0.0.1" trace; grep -ci "authorization:" trace',
        )
        expect(traced.text).toMatch(/^[1-9]\d*\n0$/)
        await run.bench.close()
      })

      test('a push is refused, even if the token may write', async () => {
        const run = await open({ tokens: [peer.token('write')] })
        const end = await inside(
          run,
          `git clone -q http://${host}/acme/mods && cd mods && echo bad > x && git add x && git commit -qm bad && git push origin main`,
        )
        expect(end.exitCode).not.toBe(0)
        expect(end.text).toContain('Only fetching passes here.')
        expect(peer.server.calls.join('\n')).not.toMatch(/receive-pack/)
        expect(Object.keys(await peer.tree('acme/mods'))).not.toContain('x')
        await run.bench.close()
      })

      test('requests other than a fetch are not forwarded', async () => {
        const run = await open()
        const at = base(run)
        const other = at.replace(/\/[^/]+\/[^/]+\/$/, '/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA/') + host
        const refs = 'info/refs?service=git-upload-pack'
        for (const url of [
          `${at}api/v4/user`,
          `${at}acme/mods.git/info/refs?service=git-receive-pack`,
          `${at}acme/mods.git/HEAD`,
          `${at}acme/../acme/mods.git/${refs}`,
          `${at}acme/%2e%2e/acme/mods.git/${refs}`,
          `${at}/acme/mods.git/${refs}`,
          `${other}/acme/mods.git/${refs}`,
          `${run.bench.gitUrl}/${host}/acme/mods.git/${refs}`,
        ]) {
          const end = await inside(
            run,
            `curl -s --path-as-is -o /dev/null -w '%{http_code}' '${url}'`,
          )
          expect(end.text, url).toBe('404')
        }
        expect(peer.server.calls).toEqual([])
        await run.bench.close()
      })

      test('a redirect is not followed, and gets no credential', async () => {
        const { port } = trap.address() as AddressInfo
        const run = await open()
        for (const location of [
          `http://127.0.0.1:${port}/x`,
          'http://169.254.169.254/latest/',
          '/elsewhere/mods.git/info/refs',
        ]) {
          peer.server.fault = () => ({ status: 302, headers: { location }, text: '' })
          const end = await inside(run, `git clone http://${host}/acme/mods 2>&1`)
          expect(end.text).toContain(`redirects acme/mods`)
        }
        expect(heard).toEqual([])
        expect(new Set(peer.server.calls)).toEqual(new Set(['GET /acme/mods.git/info/refs']))
        await run.bench.close()
      })

      test('a private address that is not opened for Git is refused', async () => {
        const run = await open({ opened: false })
        const end = await inside(run, `git clone http://${host}/acme/mods 2>&1`)
        expect(end.exitCode).not.toBe(0)
        expect(run.relay.refusal()).toContain(`${host}: This address is not allowed`)
        expect(peer.server.calls).toEqual([])
        await run.bench.close()
      })

      test('a deleted connection gives no more access, also during a fetch', async () => {
        let asked = 0
        const run = await open({ gone: () => (asked += 1) > 1 })
        const end = await inside(run, `git clone http://${host}/acme/mods 2>&1`)
        expect(end.exitCode).not.toBe(0)
        expect(run.relay.refusal()).toBe(`There is no Git connection to ${host} any more.`)
        await run.bench.close()
      })

      test('a closed relay answers no requests', async () => {
        const run = await open()
        run.relay.close()
        const end = await inside(run, `git clone -q http://${host}/acme/mods 2>&1`)
        expect(end.exitCode).not.toBe(0)
        expect(peer.server.calls).toEqual([])
        await run.bench.close()
      })

      test('the first token that may read is used, and a public repository needs none', async () => {
        const revoked = peer.token('read')
        peer.revoke(revoked)
        const run = await open({ tokens: [revoked, token] })
        await inside(run, `git clone -q http://${host}/acme/mods`)
        expect(fetched).toEqual([`${host}/acme/mods 2`])
        await run.bench.close()
      })

      test('a public repository is read although the only token is refused', async () => {
        const revoked = peer.token('read')
        peer.revoke(revoked)
        // Some hosts refuse an invalid token even for a public repository.
        peer.server.fault = (request, when) => {
          if (when === 'after' || request.headers.authorization) return undefined
          request.token = token
          request.headers.authorization = `Basic ${Buffer.from(`x:${token}`).toString('base64')}`
          return undefined
        }
        const run = await open({ tokens: [revoked] })
        const end = await inside(run, `git clone -q http://${host}/acme/mods && ls mods`)
        expect(end.text).toBe('net\nrun.sh')
        expect(fetched).toEqual([`${host}/acme/mods null`])
        await run.bench.close()
      })

      test('a refused token and a missing repository give different messages', async () => {
        const revoked = peer.token('read')
        peer.revoke(revoked)
        const rejected = await open({ tokens: [revoked] })
        const end = await inside(rejected, `git clone http://${host}/acme/mods 2>&1`)
        expect(end.text).toContain(`${host} rejects the token of the Git connection 1: replace it.`)
        await rejected.bench.close()

        const missing = await open()
        await inside(missing, `git clone http://${host}/acme/nosuch 2>&1`)
        expect(missing.relay.refusal()).toContain(
          `${host} has no repository acme/nosuch that the Git connection 1 may read`,
        )
        await missing.bench.close()

        const ill = await open({ tokens: [], unusable: ['Git connection 4 is invalid_token.'] })
        await inside(ill, `git clone http://${host}/acme/mods 2>&1`)
        expect(ill.relay.refusal()).toContain('Git connection 4 is invalid_token.')
        await ill.bench.close()
      })

      test('a sign-in page is not accepted as a repository', async () => {
        peer.server.fault = () => ({
          status: 200,
          text: '<html>',
          headers: { 'content-type': 'text/html' },
        })
        const run = await open()
        const end = await inside(run, `git clone http://${host}/acme/mods 2>&1`)
        expect(end.text).toContain('has no repository acme/mods')
        await run.bench.close()
      })

      test('submodules over file and ssh are refused', async () => {
        const bad =
          '[submodule "a"]\n\tpath = a\n\turl = file:///etc\n[submodule "b"]\n\tpath = b\n\turl = ssh://git@127.0.0.1:9/x.git\n'
        await peer.createRepository('acme/sub', { '.gitmodules': bad })
        const run = await open()
        const end = await inside(
          run,
          `git clone -q http://${host}/acme/sub && cd sub && ` +
            `H=$(git rev-parse HEAD) && git update-index --add --cacheinfo 160000,$H,a --cacheinfo 160000,$H,b && ` +
            `git submodule update --init --recursive 2>&1; ls -A a b`,
        )
        expect(end.text).toMatch(/transport 'file' not allowed|Failed to clone/)
        expect(end.text).not.toContain('passwd')
        await run.bench.close()
      })

      test('log lines show the author’s address in place of the relay’s', async () => {
        const run = await open()
        const line = hideIn(run.relay, `fatal: repository '${base(run)}acme/mods.git/' not found`)
        expect(line).toBe(`fatal: repository 'https://${host}/acme/mods.git/' not found`)
        await run.bench.close()
      })
    },
  )
