import type { PlatformDb } from '../driver/connect.ts'

export type ProbePart = 'api' | 'worker'
export type ArtifactProbe = { name: string; readsOthers: boolean }

/** A process that is alive writes its probe each minute. */
const freshMinutes = 5

/** The probes of the processes of a part that are alive. */
export async function freshProbes(db: PlatformDb, part: ProbePart): Promise<ArtifactProbe[]> {
  return db('artifact_probes')
    .where({ part })
    .whereRaw(`written_at > now() - interval '${freshMinutes} minutes'`)
    .orderBy('name')
    .limit(100)
    .select('name', 'readsOthers')
}

export async function noteProbe(
  db: PlatformDb,
  probe: ArtifactProbe & { part: ProbePart },
): Promise<void> {
  await db('artifact_probes')
    .insert({ ...probe, writtenAt: db.fn.now() })
    .onConflict('name')
    .merge(['readsOthers', 'writtenAt'])
}

/** Names of processes that ended; their rows are deleted. */
export async function endedProbes(db: PlatformDb): Promise<string[]> {
  const ended = await db('artifact_probes')
    .whereRaw(`written_at < now() - interval '1 hour'`)
    .delete()
    .returning('name')
  return ended.map(({ name }: { name: string }) => name)
}
