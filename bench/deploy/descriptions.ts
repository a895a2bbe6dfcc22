import { createPublicKey } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { verifyProvenance } from '../../domain/signing/verify-provenance.ts'
import { newOrganization, provenanceOf } from '../../test/harness/agents/signing.ts'
import { building } from '../../test/harness/git/application-of.ts'
import { benchConfig } from '../config.ts'
import { atMost, median, type Held } from '../figures.ts'
import { processesBelow } from '../hostile/random-kills.ts'
import { openApplication, succeeded } from './application.ts'
import { bareMs } from './bare.ts'
import { followLog } from './follow-log.ts'
import type { World } from './world.ts'

const rounds = benchConfig.rounds(5)
const packages = Math.round(1_000 * benchConfig.scale)

/** The limits of docs/decisions/0218-what-a-deployment-costs.md. */
const mayBe = { ratio: 1.2, syftMb: 300, signatureMs: 5 }

const lock = JSON.stringify({
  name: 'shop',
  version: '1.0.0',
  lockfileVersion: 3,
  packages: Object.fromEntries(
    Array.from({ length: packages }, (_, n) => [
      `node_modules/p${n}`,
      { version: `1.0.${n}`, license: 'MIT' },
    ]),
  ),
})

/** The bill of materials of 1,000 packages, beside Syft on the same folder. */
export const billOfMaterials =
  (syft: string) =>
  async (world: World): Promise<Held[]> => {
    const { platform, peer, folder } = world
    const application = await openApplication(
      { call: platform.call, peer },
      {
        repository: 'acme/packages',
        files: {
          ...building('mkdir dist; cp package-lock.json dist'),
          'package-lock.json': lock,
        },
      },
    )
    const packed = join(folder, 'packages')
    mkdirSync(packed)
    writeFileSync(join(packed, 'package-lock.json'), lock)
    const ours: number[] = []
    const bare: number[] = []
    let syftMb = 0
    for (let round = 0; round <= rounds; round += 1) {
      const run = await application.start()
      const timer = setInterval(() => (syftMb = Math.max(syftMb, mostOfSyft(platform.pids()))), 50)
      const took = await describingMs(world, { runs: application.runs, runId: run.id })
      clearInterval(timer)
      await succeeded(run)
      const theirs = await bareMs(
        '"$SYFT" scan "dir:$IN" --quiet --output "spdx-json@2.3=$IN/../a.json" --output "cyclonedx-json@1.6=$IN/../b.json"',
        { SYFT: syft, IN: packed, HOME: folder, SYFT_CHECK_FOR_APP_UPDATE: 'false' },
      )
      // The first round fills the page cache.
      if (round === 0) continue
      ours.push(took)
      bare.push(theirs)
    }
    rmSync(packed, { recursive: true })
    return [
      atMost(
        `bill of materials of ${packages} packages, times bare Syft (${median(ours).toFixed(0)} ms, bare ${median(bare).toFixed(0)} ms)`,
        [median(ours) / median(bare), mayBe.ratio],
        '×',
      ),
      atMost('memory of Syft', [syftMb, mayBe.syftMb], 'MB'),
      ...signatures(),
    ]
  }

/** From the artifact until its bill of materials, as a person sees it in the log. */
async function describingMs(
  { platform }: World,
  run: { runs: string; runId: number },
): Promise<number> {
  let from = Number.NaN
  for await (const { line, atMs } of followLog(platform, { ...run, stage: 'build' })) {
    if (line.startsWith('Artifact sha256:')) from = atMs
    if (line.startsWith('Bill of materials:')) return atMs - from
  }
  throw new Error(`run ${run.runId} has no bill of materials`)
}

function mostOfSyft({ worker = 0 }: Record<string, number>): number {
  const sizes = processesBelow(worker).map(([, pid]) => {
    try {
      if (!/syft/.test(readFileSync(`/proc/${pid}/comm`, 'utf8'))) return 0
      const [, kb] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
      return Number(kb ?? 0) / 1_024
    } catch {
      // The process ended since it was listed.
      return 0
    }
  })
  return Math.max(0, ...sizes)
}

function signatures(): Held[] {
  const organization = newOrganization('acme')
  const { key } = organization
  const keys = new Map([[key.keyId, createPublicKey(key.publicKey)]])
  const digest = `sha256:${'a'.repeat(64)}`
  const built = { digest, contentDigest: `sha256:${'c'.repeat(64)}` }
  const [sign, verify]: [number[], number[]] = [[], []]
  for (let round = 0; round < 100; round += 1) {
    const since = performance.now()
    const bundle = provenanceOf(built, organization, key)
    const signed = performance.now()
    verifyProvenance({ bundle, keys, digest })
    sign.push(signed - since)
    verify.push(performance.now() - signed)
  }
  return [
    atMost('a signature', [median(sign), mayBe.signatureMs], 'ms'),
    atMost('a verification', [median(verify), mayBe.signatureMs], 'ms'),
  ]
}
