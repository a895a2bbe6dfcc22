import { cpus } from 'node:os'
import { join } from 'node:path'
import { benchConfig } from './config.ts'
import { claims, downloads, hostLines, idleOnes } from './deploy/agents.ts'
import { largeArtifact, largeSource, loudStep, smallBuild } from './deploy/builds.ts'
import { intoBucket } from './deploy/bucket.ts'
import { billOfMaterials } from './deploy/descriptions.ts'
import { hostsOnPage } from './deploy/hosts-on-page.ts'
import { pushToSource } from './deploy/push-to-source.ts'
import { rollout } from './deploy/rollout.ts'
import { inWorld } from './deploy/world.ts'
import { goTools } from '../test/peers/go-tools.ts'
import { tableOfLimits, type Held } from './figures.ts'

const syft = async () =>
  join(await goTools('syft', 'github.com/anchore/syft/cmd/syft@v1.57.0'), 'syft')

/** Each on parts of its own, so that none measures the memory of another. */
const parts: Record<string, () => Promise<Held[]>> = {
  push: async () => inWorld(pushToSource),
  'small build': async () => inWorld(smallBuild),
  'large source': async () => inWorld(largeSource),
  'loud step': async () => inWorld(loudStep),
  'large artifact': async () => inWorld(largeArtifact),
  bucket: intoBucket,
  'bill of materials': async () => {
    const bin = await syft()
    return inWorld(billOfMaterials(bin), { CC_SYFT_BIN: bin })
  },
  rollout: async () => inWorld(rollout),
  'idle agents': async () => inWorld(idleOnes),
  claims: async () => inWorld(claims),
  downloads: async () => inWorld(downloads),
  'host lines': async () => inWorld(hostLines),
  'hosts on page': async () => inWorld(hostsOnPage),
}

/** What an application pipeline and its hosts cost, each beside its limit. `BENCH_ONLY` names parts. */
export async function deploySuite(): Promise<boolean> {
  const { only } = benchConfig
  const asked = Object.entries(parts).filter(([name]) => !only || name.includes(only))
  console.log(`${cpus().length} processors, scale ${benchConfig.scale}`)
  const rows: Held[] = []
  for (const [name, part] of asked) {
    console.log(`\n${name}`)
    const measured = await part()
    console.log(tableOfLimits(measured))
    rows.push(...measured)
  }
  console.log(`\n${tableOfLimits(rows)}`)
  return rows.every(({ isMet }) => isMet)
}
