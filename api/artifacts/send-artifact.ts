import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError, conflict } from '../../domain/errors.ts'
import { isKnownVersion, readRange } from '../../domain/pipelines/byte-range.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { createPlaces } from '../http/places.ts'
import { cutOffWhenStalled } from './cut-off-when-stalled.ts'

export type ArtifactToSend = {
  request: FastifyRequest
  reply: FastifyReply
  organizationId: number
  /** The run that built it. */
  artifact: { digest: string; sizeBytes: number; pipelineRunId: number }
  /** Without its ending. */
  fileName: string
  /** Called once before bytes are sent; what it throws is answered. */
  onStart?: () => Promise<void>
}

/** Of one organization in one process: people and programs of theirs, and agents. */
export const artifactsAtOnce = { people: 4, agents: 64 } as const
const places = {
  people: createPlaces({ ofOrganization: artifactsAtOnce.people }),
  agents: createPlaces({ ofOrganization: artifactsAtOnce.agents }),
}

/**
 * Sends an artifact, or the part of it that is asked for, as a stream: the store is read as fast as the client
 * takes it. Its bytes are checked against the digest; other ones end the answer before its last bytes, so that
 * no client takes it for whole.
 */
export async function sendArtifact(
  deps: Pick<Deps, 'store' | 'artifacts' | 'log'>,
  asked: ArtifactToSend,
  who: keyof typeof artifactsAtOnce = 'people',
): Promise<FastifyReply> {
  const { request, reply, artifact, organizationId, fileName } = asked
  const { digest, sizeBytes } = artifact
  const etag = `"${digest}"`
  const { headers } = request
  if (isKnownVersion(headers['if-none-match'], etag))
    return reply.status(304).header('etag', etag).send()
  const [ifRange] = [headers['if-range']].flat()
  const range = readRange({ range: headers.range, ifRange }, { sizeBytes, etag })
  if (range.kind === 'none')
    return reply
      .status(416)
      .header('content-range', `bytes */${sizeBytes}`)
      .send({ error: 'The artifact has fewer bytes.', code: 'range_not_satisfiable' })
  admitArtifact(reply, organizationId, who)
  const part = range.kind === 'part' ? range : undefined
  const found = await deps.artifacts
    .read(organizationId, digest, part)
    .catch(async (error: unknown) => noteDamage(deps, asked, error))
  if (!found || found.sizeBytes !== sizeBytes) {
    found?.stream.destroy()
    await noteDamage(deps, asked, gone())
    throw gone()
  }
  found.stream.once('error', (fault) => void noteDamage(deps, asked, fault).catch(() => undefined))
  // Its client has left meanwhile.
  reply.raw.once('close', () => found.stream.destroy())
  await asked.onStart?.().catch((error: unknown) => {
    found.stream.destroy()
    throw error
  })
  cutOffWhenStalled(reply)
  void reply.type('application/zstd').headers({
    etag,
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    'content-disposition': dispositionOf(`${fileName}.tar.zst`),
  })
  if (!part) return reply.header('content-length', sizeBytes).send(found.stream)
  const { first, last } = part
  return reply
    .status(206)
    .headers({
      'content-length': last - first + 1,
      'content-range': `bytes ${first}-${last}/${sizeBytes}`,
    })
    .send(found.stream)
}

const gone = () => conflict('artifact_gone', 'The artifact is not in the artifact store any more.')

/** Takes one of the organization's places until the answer is over. */
export function admitArtifact(
  reply: FastifyReply,
  organizationId: number,
  who: keyof typeof artifactsAtOnce = 'people',
): void {
  if (!places[who].take(reply, organizationId))
    throw new AppError(
      'rate_limited',
      `Your organization is reading ${artifactsAtOnce[who]} artifacts, and no more are sent at once. Try again in a moment.`,
      { code: 'too_many_downloads', retryAfterSeconds: 2 },
    )
}

/** Logs and audits that the store does not have the bytes of a kept artifact, and throws the error on. */
async function noteDamage(
  { store, log }: Pick<Deps, 'store' | 'log'>,
  { organizationId, artifact }: ArtifactToSend,
  error: unknown,
): Promise<never> {
  const code = error instanceof AppError ? error.code : ''
  if (code === 'artifact_damaged' || code === 'artifact_gone') {
    const { digest, pipelineRunId } = artifact
    log.error({ organizationId, runId: pipelineRunId, digest, code }, 'an artifact is damaged')
    await store.tenant(organizationId, async (tenant) =>
      auditLog(tenant, systemActor).record('pipeline.artifact_damaged', {
        outcome: 'failure',
        target: { kind: 'run', id: pipelineRunId },
        detail: { digest, code },
      }),
    )
  }
  throw error
}

/** RFC 6266: a name in ASCII, and the whole one in UTF-8. */
function dispositionOf(name: string): string {
  const ascii = name.replace(/[^\w.-]/g, '_')
  const coded = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${coded}`
}
