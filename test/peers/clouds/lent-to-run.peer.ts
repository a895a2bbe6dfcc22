import { randomBytes } from 'node:crypto'
import { chmodSync, cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lentEnvironment } from '../../../app/clouds/lent-environment.ts'
import type { LentIdentities } from '../../../domain/clouds/check-runs.ts'
import type { CloudProvider } from '../../../domain/clouds/cloud-account.ts'
import type { CloudTarget, Lent } from '../../../gateways/clouds/cloud.ts'
import { openCloud } from '../../../gateways/clouds/open-cloud.ts'
import { createCloudDoor, type Lending } from '../../../gateways/sandbox/cloud-door.ts'
import type { Workbench } from '../../../gateways/sandbox/workbench.ts'
import type { CloudAccount } from '../../../store/clouds/cloud-account-row.ts'
import {
  hasBwrap,
  sh,
  shellSandbox,
  type ShellSandbox,
} from '../../gateways/sandbox/shell-sandbox.ts'
import { cloudDeps, cloudTarget } from '../../harness/clouds/cloud-target.ts'
import { type Moto, startMoto } from '../../harness/clouds/moto.ts'
import { type ScriptedGoogle, startScriptedGoogle } from '../../harness/clouds/scripted-google.ts'
import { hasPython, pythonTools } from '../python-tools.ts'

const accountId = '123456789012'
const roleArn = `arn:aws:iam::${accountId}:role/reads`
const serviceAccountEmail = 'plans@project-42.iam.gserviceaccount.com'
const workloadIdentityProvider =
  'projects/42/locations/global/workloadIdentityPools/pool/providers/cloud-control'

/** Prints the key that signs, and whom AWS takes it for. */
const byBotocore = `
import botocore.session, botocore.config, os, time
session = botocore.session.get_session()
keys = []
for _ in range(2):
    keys.append(session.get_credentials().get_frozen_credentials().access_key)
    time.sleep(1)
print('keys', len(set(keys)))
proxies = {'http': os.environ['HTTP_PROXY']}
sts = session.create_client('sts', region_name='us-east-1', endpoint_url=os.environ['AT'],
                            config=botocore.config.Config(proxies=proxies))
print('arn', sts.get_caller_identity()['Arn'])
`
const byGoogleAuth = `
import google.auth, google.auth.transport.requests
scopes = ['https://www.googleapis.com/auth/cloud-platform']
credentials, _ = google.auth.default(scopes=scopes)
credentials.refresh(google.auth.transport.requests.Request())
print('token', credentials.token, 'expires', credentials.expiry is not None)
`

// The clouds' own Python libraries in the real sandbox, over the real door.
describe.skipIf(!hasPython() || !hasBwrap)('what a run is lent', { timeout: 120_000 }, () => {
  let moto: Moto
  let google: ScriptedGoogle
  let shell: ShellSandbox
  let packages: string
  beforeAll(async () => {
    const bin = await pythonTools('cloud-libraries', [
      'botocore==1.44.5',
      'google-auth==2.62.2',
      'requests==2.34.2',
    ])
    const lib = join(dirname(bin), 'lib')
    // Copied to where the uid of a sandbox's slot may read.
    packages = mkdtempSync(join(tmpdir(), 'cc-python-'))
    cpSync(join(lib, readdirSync(lib)[0] ?? '', 'site-packages'), packages, { recursive: true })
    chmodSync(packages, 0o755)
    moto = await startMoto()
    google = await startScriptedGoogle()
    shell = await shellSandbox({
      shared: [packages],
      outbound: { privateHosts: [{ use: 'cloud', host: '127.0.0.1', port: moto.port }] },
    })
  })
  afterAll(async () => {
    await shell?.close()
    await moto?.stop()
    await google?.cloud.stop()
    if (packages) rmSync(packages, { recursive: true, force: true })
  })

  /** A workbench with the door of an account, whose lends are counted. */
  async function lending(
    provider: CloudProvider,
    { credentials, url, port }: Pick<CloudTarget, 'credentials'> & { url: string; port: number },
    runs: LentIdentities,
  ) {
    const target = cloudTarget(url, { provider, accountId, credentials, runs })
    const cloud = await openCloud(target, cloudDeps([port]))
    const capability = randomBytes(32).toString('base64url')
    const door = { isOver: false, lent: [] as Lent[], change: (lent: Lent) => lent }
    const lend = async (): Promise<Lending> => {
      if (door.isOver) return { how: 'over', reason: 'This run or its phase is over.' }
      let given: Lent | undefined
      // moto checks no call that is not signed, and this one is not.
      await moto.setUp(async () => {
        given = await cloud.lend({ phase: 'plan', name: 'run-7-plan' })
      })
      if (!given) return { how: 'refused', reason: 'none' }
      door.lent.push(given)
      return { lent: door.change(given) }
    }
    const bench = await shell.open({ cloudDoor: createCloudDoor({ capability, lend }) })
    // Of the row, what the environment of AWS and Google is made from.
    const account = { provider, accountId, runs } as CloudAccount
    const at = { url: bench.cloudUrl, capability, phase: 'plan' } as const
    const noKeyring = undefined as unknown as Parameters<typeof lentEnvironment>[0]
    const { env, file } = lentEnvironment(noKeyring, account, at) ?? { env: {} }
    const named = file && { [file.variable]: bench.inside(file.name) }
    if (file) await bench.write(file.name, file.content)
    const run = async (script: string) => python(bench, script, { ...env, ...named })
    return { door, bench, run, close: () => cloud.close() }
  }

  async function python(bench: Workbench, script: string, env: Record<string, string>) {
    await bench.write('peer.py', script)
    return sh(bench, `/usr/bin/python3 ${bench.inside('peer.py')}`, {
      network: 'run',
      env: {
        PATH: '/usr/bin',
        HOME: '/tmp',
        PYTHONPATH: packages,
        PYTHONDONTWRITEBYTECODE: '1',
        HTTP_PROXY: bench.proxyUrl,
        HTTPS_PROXY: bench.proxyUrl,
        NO_PROXY: '127.0.0.1,localhost',
        AT: moto.url,
        ...env,
      },
    })
  }
  const ofAws = async () =>
    lending(
      'aws',
      { credentials: { roleArn }, url: moto.url, port: moto.port },
      { plan: { roleArn } },
    )

  test('botocore signs with the role of the phase, and AWS takes it for the run', async () => {
    const { run, door, bench, close } = await ofAws()
    const { text } = await run(byBotocore)
    expect(text).toContain(`arn arn:aws:sts::${accountId}:assumed-role/reads/run-7-plan`)
    expect(text).toContain('keys 1')
    expect(door.lent).toHaveLength(1)
    await bench.close()
    close()
  })

  test('botocore fetches the next session before one ends, as a long apply needs', async () => {
    const { run, door, bench, close } = await ofAws()
    door.change = (lent) => ({ ...lent, expiresAt: new Date(Date.now() + 300_000) })
    const { text } = await run(byBotocore)
    expect(text).toContain('keys 2')
    expect(door.lent.length).toBeGreaterThan(1)
    await bench.close()
    close()
  })

  test('botocore gets nothing once the run is over, and nothing without a door', async () => {
    const { run, door, bench, close } = await ofAws()
    door.isOver = true
    const { text, exitCode } = await run(byBotocore)
    expect(exitCode).not.toBe(0)
    expect(text).toContain('This run or its phase is over.')
    expect(door.lent).toEqual([])
    await bench.close()
    close()
    const other = await shell.open()
    const uri = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${other.cloudUrl}/aws` }
    expect((await python(other, byBotocore, uri)).exitCode).not.toBe(0)
    await other.close()
  })

  test('google-auth reads the external_account file and takes on the service account', async () => {
    const { run, door, bench, close } = await lending(
      'gcp',
      {
        credentials: { workloadIdentityProvider },
        url: google.cloud.url,
        port: google.cloud.port,
      },
      { plan: { serviceAccountEmail } },
    )
    const { text } = await run(byGoogleAuth)
    expect(text).toContain('token the-impersonated-token expires True')
    expect(door.lent).toHaveLength(1)
    const [exchange] = google.cloud.asked.filter(({ path }) => path === '/v1/token')
    expect(new URLSearchParams(exchange?.body).get('subject_token')).toMatch(/^plan\.token\.for\./)
    door.isOver = true
    expect((await run(byGoogleAuth)).text).toContain('This run or its phase is over.')
    await bench.close()
    close()
  })
})
