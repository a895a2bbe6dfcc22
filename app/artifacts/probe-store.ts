import type { ArtifactStore } from '../../gateways/artifacts/artifact-store.ts'
import type { PlatformDb } from '../../store/driver/connect.ts'
import { freshProbes, noteProbe, type ProbePart } from '../../store/platform/artifact-probes.ts'

export type StoreProbe = { name: string; part: ProbePart }

/**
 * Writes this process's probe into its artifact store, and looks for those of the other part: they are in
 * another store where they cannot be read. Throws where the store does not answer.
 */
export async function probeStore(
  { platform, artifacts }: { platform: PlatformDb; artifacts: ArtifactStore },
  { name, part }: StoreProbe,
): Promise<{ unread: number }> {
  await artifacts.writeProbe(name, name)
  const others = await freshProbes(platform, part === 'api' ? 'worker' : 'api')
  const texts = await Promise.all(others.map(async (one) => artifacts.readProbe(one.name)))
  const unread = texts.filter((text, at) => text !== others[at]?.name).length
  await noteProbe(platform, { name, part, readsOthers: unread === 0 })
  return { unread }
}
