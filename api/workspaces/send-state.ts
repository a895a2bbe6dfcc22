import type { FastifyReply } from 'fastify'
import type { Deps } from '../deps.ts'
import { admitDownload } from './admit-download.ts'
import type { StateAddress } from '../../app/workspaces/state-in-parts.ts'
import { readStateBytes } from './read-state.ts'

/**
 * Sends a state as it was written, with its MD5 for OpenTofu. The length reveals a truncated answer.
 * A state that is being stored has neither: hashing up to 128 MiB to send them would double the cost,
 * and pieces may come until its end. It is sent chunked, which reveals truncation as well.
 */
export async function sendState(
  deps: Deps,
  reply: FastifyReply,
  address: StateAddress,
): Promise<FastifyReply> {
  const { organizationId, version } = address
  // Before any byte is read. A size that is not known counts as a large one.
  admitDownload(reply, { organizationId, sizeBytes: version.sizeBytes ?? Infinity })
  const { sizeBytes, bodyMd5, stream } = await readStateBytes(deps, address)
  if (bodyMd5 !== null) reply.header('content-md5', bodyMd5)
  if (sizeBytes !== null) reply.header('content-length', sizeBytes)
  return reply.type('application/json').send(stream)
}
