import { createHash, createPublicKey, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ProvenanceBundle } from '../../../domain/signing/provenance.ts'
import { applicationPipeline } from '../../harness/application-run.ts'
import { builtRun } from '../../harness/built-run.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { goTools } from '../go-tools.ts'
import { npmTools } from '../npm-tools.ts'
import { hasPython, pythonTools } from '../python-tools.ts'
import { runPeer } from '../run-peer.ts'

const bytes = randomBytes(100_000)
const digest = createHash('sha256').update(bytes).digest('hex')

// The bundle that the API gives, judged by programs of others; each refuses a changed one.
describe('a provenance', () => {
  let harness: Harness
  let bundle: ProvenanceBundle
  let publicKey: string
  const folder = mkdtempSync(join(tmpdir(), 'provenance-'))
  const file = (name: string, content: string | Buffer) => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  }
  beforeAll(async () => {
    harness = await createHarness()
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const pipelineId = await applicationPipeline(harness.deps, org.id)
    const run = await builtRun(harness.deps, owner, { pipelineId, bytes })
    bundle = (await owner.get(`${run.url}/provenance`)).json()
    const [key] = (await owner.get('/api/org/signing-keys')).json().signingKeys
    publicKey = key.publicKey
    file('key.pem', publicKey)
    file('artifact', bytes)
  })
  afterAll(async () => {
    await harness?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** With other words in its statement, and with another signature. */
  const changed = (): ProvenanceBundle[] => {
    const { payload, signatures } = bundle.dsseEnvelope
    const text = Buffer.from(payload, 'base64').toString().replace('"runId":', '"ruNId":')
    const other = Buffer.from(signatures[0]?.sig ?? '', 'base64')
    const last = other.length - 1
    other[last] = (other[last] ?? 0) ^ 1
    const envelope = bundle.dsseEnvelope
    return [
      { ...bundle, dsseEnvelope: { ...envelope, payload: Buffer.from(text).toString('base64') } },
      {
        ...bundle,
        dsseEnvelope: {
          ...envelope,
          signatures: [{ keyid: signatures[0]?.keyid ?? '', sig: other.toString('base64') }],
        },
      },
    ]
  }

  test('openssl alone verifies it, as docs/artifacts.md says', async () => {
    const script = `
set -e
python3 - "$1" <<'PY'
import base64, json, sys
envelope = json.load(open(sys.argv[1]))["dsseEnvelope"]
payload = base64.b64decode(envelope["payload"])
kind = envelope["payloadType"].encode()
open("pae", "wb").write(b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload))
open("sig", "wb").write(base64.b64decode(envelope["signatures"][0]["sig"]))
PY
openssl dgst -sha256 -verify key.pem -signature sig pae`
    const verify = async (one: ProvenanceBundle) =>
      runPeer('sh', ['-c', script, 'sh', file('bundle.json', JSON.stringify(one))], { cwd: folder })
    expect(await verify(bundle)).toMatchObject({ code: 0 })
    for (const one of changed()) expect((await verify(one)).code).not.toBe(0)
  })

  test('@sigstore/verify takes it, with our key as its trust', async () => {
    const folderOf = await npmTools('sigstore', [
      '@sigstore/verify@4.1.3',
      '@sigstore/bundle@5.0.1',
    ])
    const load = createRequire(join(folderOf, 'x.js'))
    const { bundleFromJSON } = load('@sigstore/bundle')
    const { Verifier, toSignedEntity } = load('@sigstore/verify')
    const hint = bundle.verificationMaterial.publicKey.hint
    const verifier = new Verifier(
      {
        certificateAuthorities: [],
        timestampAuthorities: [],
        tlogs: [],
        ctlogs: [],
        publicKey: (asked: string) => {
          if (asked !== hint) throw new Error('another hint')
          return { publicKey: createPublicKey(publicKey), validFor: () => true }
        },
      },
      { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 },
    )
    const verify = (one: ProvenanceBundle) => verifier.verify(toSignedEntity(bundleFromJSON(one)))
    expect(() => verify(bundle)).not.toThrow()
    for (const one of changed()) expect(() => verify(one)).toThrow()
  })

  test.skipIf(!hasPython())('securesystemslib and in-toto-attestation take it', async () => {
    const bin = await pythonTools('in-toto', [
      'securesystemslib[crypto]==1.6.0',
      'in-toto-attestation==0.9.3',
    ])
    const verify = async (one: ProvenanceBundle) =>
      runPeer(
        join(bin, 'python3'),
        [
          join(import.meta.dirname, 'verify-bundle.py'),
          file('bundle.json', JSON.stringify(one)),
          join(folder, 'key.pem'),
        ],
        { cwd: folder },
      )
    const { code, output } = await verify(bundle)
    expect([code, output.trim()]).toEqual([0, digest])
    for (const one of changed()) expect((await verify(one)).code).not.toBe(0)
  })

  // Minutes of building, so only where somebody asks: PEER_COSIGN=1, or a cosign v3 on PATH.
  const cosign = 'github.com/sigstore/cosign/v3/cmd/cosign@v3.1.3'
  test.skipIf(!process.env['PEER_COSIGN'])(
    `cosign verifies the artifact by it (skipped: PEER_COSIGN=1 installs ${cosign})`,
    { timeout: 3_600_000 },
    async () => {
      const bin = await goTools('cosign', cosign)
      const verify = async (one: ProvenanceBundle, artifact: string) =>
        runPeer(
          join(bin, 'cosign'),
          [
            'verify-blob-attestation',
            '--insecure-ignore-tlog',
            '--key',
            join(folder, 'key.pem'),
            '--bundle',
            file('bundle.json', JSON.stringify(one)),
            '--type',
            'slsaprovenance1',
            artifact,
          ],
          { cwd: folder },
        )
      const { code, output } = await verify(bundle, join(folder, 'artifact'))
      expect(code, output).toBe(0)
      const other = file('other', Buffer.concat([bytes, Buffer.from('x')]))
      expect((await verify(bundle, other)).code).not.toBe(0)
      for (const one of changed())
        expect((await verify(one, join(folder, 'artifact'))).code).not.toBe(0)
    },
  )
})
