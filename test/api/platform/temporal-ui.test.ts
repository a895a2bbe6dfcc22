import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { connect } from 'node:http2'
import { get, type RequestOptions } from 'node:https'
import { connect as connectSocket } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startEngines, type Engines } from '../../../engines/start-engines.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

// Runs the real UI server on an embedded Temporal, behind the real API.
describe('the web UI of an embedded Temporal', { timeout: 120_000 }, () => {
  let dataDir: string
  let engines: Engines
  let harness: Harness
  let org: TestOrganization
  let admin: TestUser
  let upstream: URL
  let host: string
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'cc-ui-test-'))
    chmodSync(dataDir, 0o711)
    engines = await startEngines({ dataDir, throwaway: true, say: () => undefined })
    await engines.uiSettled
    expect(engines.parts().map(({ name }) => name)).toContain('temporal-ui')
    harness = await createHarness({ env: engines.temporalEnv })
    org = await harness.organization()
    admin = await org.user('Viewer', { platformAdmin: true })
    upstream = new URL(engines.temporalEnv['CC_TEMPORAL_UI_UPSTREAM'] ?? '')
    host = new URL(harness.config.baseUrl ?? '').host
  }, 600_000)
  afterAll(async () => {
    await harness?.close()
    await engines?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const namespaces = '/temporal/api/v1/namespaces?pageSize=5'
  const secretFile = () => engines.temporalEnv['CC_TEMPORAL_UI_SECRET_FILE'] ?? ''
  const secret = () => readFileSync(secretFile(), 'utf8').trim()
  const ask = (cookie: string | undefined, url: string, headers: Record<string, string> = {}) =>
    harness.app.inject({
      url,
      headers: { host, ...(cookie && { cookie: `cc_session=${cookie}` }), ...headers },
    })

  test('200: a platform administrator gets the UI and its data from Temporal', async () => {
    const page = await ask(admin.cookie, '/temporal/', { accept: 'text/html' })
    expect(page.statusCode, page.body).toBe(200)
    expect(page.body).toContain('/temporal/_app/')
    const data = await ask(admin.cookie, namespaces)
    expect(data.statusCode, data.body).toBe(200)
    expect(data.body).toContain('cloud-control')
    const me = (await admin.get('/api/auth/me')).json()
    expect(me.temporalUiUrl).toBe(
      '/temporal/namespaces/' + harness.config.temporal.namespace + '/workflows',
    )
    const script = /"(\/temporal\/_app\/immutable\/entry\/start[^"]+)"/.exec(page.body)?.[1] ?? ''
    const asset = await ask(admin.cookie, script)
    expect(asset.statusCode).toBe(200)
    expect(asset.headers['content-type']).toContain('javascript')
  })

  test('its pages run only their own scripts, cannot call the API, and set no cookie', async () => {
    const page = await ask(admin.cookie, '/temporal/namespaces/x/workflows', {
      accept: 'text/html',
    })
    const policy = String(page.headers['content-security-policy'])
    expect(policy).toMatch(/script-src http:\/\/[\d.:]+\/temporal\/_app\/ 'sha256-[^']+'/)
    expect(policy).not.toMatch(/script-src[^;]*unsafe/)
    expect(policy).toMatch(/connect-src http:\/\/[\d.:]+\/temporal\/;/)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('allow-popups')
    const data = await ask(admin.cookie, namespaces)
    expect(data.headers['content-security-policy']).toBe("default-src 'none'; sandbox")
    expect([page, data].flatMap(({ cookies }) => cookies)).toEqual([])
  })

  test('404: all other callers, and all tokens', async () => {
    const owner = await org.user('Owner')
    for (const url of ['/temporal', '/temporal/', namespaces]) {
      expect((await ask(undefined, url)).statusCode).toBe(404)
      expect((await ask(owner.cookie, url)).statusCode).toBe(404)
      const authorization = `Bearer ${await owner.token('Owner')}`
      expect((await ask(undefined, url, { authorization })).statusCode).toBe(404)
      // The UI's own secret is not a credential of the API.
      const forged = { authorization: `Bearer ${secret()}` }
      expect((await ask(undefined, url, forged)).statusCode).toBe(404)
    }
  })

  test('404: a browser gets the page for an unknown address', async () => {
    const owner = await org.user('Owner')
    const accept = 'text/html,*/*'
    const unknown = await ask(owner.cookie, '/nowhere', { accept })
    for (const cookie of [undefined, owner.cookie]) {
      const page = await ask(cookie, '/temporal/', { accept })
      expect([page.statusCode, page.body]).toEqual([404, unknown.body])
    }
  })

  test('404: a request with another host name (DNS rebinding)', async () => {
    for (const name of ['evil.example', `evil.example:${new URL(`http://${host}`).port}`])
      expect((await ask(admin.cookie, namespaces, { host: name })).statusCode).toBe(404)
  })

  test('404: requests that write are refused', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      const { statusCode } = await harness.app.inject({
        method,
        url: '/temporal/api/v1/namespaces/cloud-control/workflows/x/terminate',
        headers: {
          host,
          cookie: `cc_session=${admin.cookie}`,
          origin: harness.config.baseUrl ?? '',
        },
      })
      expect(statusCode).toBe(404)
    }
  })

  test('a local process gets no data from the UI’s own port without the secret', async () => {
    const direct = (headers: RequestOptions['headers']) =>
      new Promise<string>((resolve, reject) => {
        get(
          {
            host: '127.0.0.1',
            port: upstream.port,
            path: namespaces,
            rejectUnauthorized: false,
            headers,
          },
          (answer) => {
            const chunks: Buffer[] = []
            answer.on('data', (chunk: Buffer) => chunks.push(chunk))
            answer.on('end', () =>
              resolve(`${answer.statusCode} ${Buffer.concat(chunks).toString()}`),
            )
          },
        ).on('error', reject)
      })
    for (const authorization of [
      undefined,
      'Bearer x',
      `Bearer ${secret()}x`,
      `Basic ${secret()}`,
    ]) {
      const answer = await direct(authorization ? { authorization } : {})
      expect(answer).toMatch(/^401 /)
      expect(answer).not.toContain('cloud-control')
    }
    expect(await direct({ authorization: `Bearer ${secret()}` })).toContain('cloud-control')
  })

  test.skipIf(userInfo().uid !== 0)(
    'another user of the host reaches neither secret nor gate',
    async () => {
      // Asynchronous, because the gate runs in this process and a synchronous call would deadlock.
      const as = (script: string) =>
        new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
          const user = { uid: 65_534, gid: 65_534, timeout: 20_000 }
          execFile('/bin/bash', ['-c', script], user, (error, stdout, stderr) =>
            resolve({ code: error?.code ?? 0, stdout, stderr }),
          )
        })
      expect(statSync(secretFile()).mode & 0o777).toBe(0o600)
      expect((await as(`cat ${secretFile()}`)).stderr).toContain('Permission denied')
      const socket = join(dataDir, 'temporal', 'ui', 'gate.sock')
      const gate = await as(`curl -s --max-time 5 --unix-socket ${socket} http://localhost/`)
      expect(gate.code).toBe(7)
      const curl = `curl -sk https://127.0.0.1:${upstream.port}${namespaces}`
      const { code, stdout } = await as(curl)
      expect({ code, refused: stdout.includes('sign in') }).toEqual({ code: 0, refused: true })
      expect(stdout).not.toContain('cloud-control')
    },
  )

  test('the gate before Temporal accepts only the secret, and only reads', async () => {
    const call = (method: string, authorization: string) =>
      new Promise<unknown>((resolve, reject) => {
        const socket = join(dataDir, 'temporal', 'ui', 'gate.sock')
        const session = connect('http://localhost', {
          createConnection: () => connectSocket(socket),
        })
        session.on('error', reject)
        const stream = session.request({
          ':method': 'POST',
          ':path': `/temporal.api.${method}`,
          'content-type': 'application/grpc',
          te: 'trailers',
          authorization,
        })
        stream.on('error', reject)
        stream.on('response', (headers) => {
          if (headers['grpc-status'] !== undefined) resolve(headers['grpc-status'])
        })
        stream.on('trailers', (trailers) => resolve(trailers['grpc-status']))
        stream.on('close', () => session.close())
        stream.resume()
        // A gRPC message of zero bytes.
        stream.end(Buffer.alloc(5))
      })
    const good = `Bearer ${secret()}`
    const workflow = 'workflowservice.v1.WorkflowService'
    expect(await call(`${workflow}/GetSystemInfo`, good)).toBe('0')
    expect(await call(`${workflow}/GetSystemInfo`, 'Bearer no')).toBe('16')
    expect(await call(`${workflow}/GetSystemInfo`, '')).toBe('16')
    for (const method of [
      `${workflow}/TerminateWorkflowExecution`,
      `${workflow}/SignalWorkflowExecution`,
      `${workflow}/StartWorkflowExecution`,
      `${workflow}/PollWorkflowTaskQueue`,
      `${workflow}/DeleteWorkflowExecution`,
      'operatorservice.v1.OperatorService/DeleteNamespace',
      'adminservice.v1.AdminService/DescribeMutableState',
    ])
      expect(await call(method, good), method).toBe('7')
  })
})
