import { setImmediate as others } from 'node:timers/promises'
import { conflict, unavailable } from '../../domain/errors.ts'
import {
  jsonPicker,
  NotJson,
  UnreadableJson,
  type PickLimits,
  type Wanted,
} from '../../domain/json/pick-json.ts'

/** What is read until others have a turn: 3 ms of small fields. */
const bytesOfPart = 64 * 1_024

/**
 * Reads some parts of a large answer without parsing the whole. The listing of 100,000 files has 700,000 fields and
 * items, which hold all else up for half a second where the host chose them for that.
 */
export async function pickAnswer(
  answer: Response,
  wanted: Wanted,
  { provider, ...limits }: PickLimits & { provider: string },
): Promise<unknown> {
  const bytes = new Uint8Array(await answer.arrayBuffer())
  const picker = jsonPicker(wanted, limits)
  try {
    for (let at = 0; at < bytes.length; at += bytesOfPart) {
      picker.add(bytes.subarray(at, at + bytesOfPart))
      await others()
    }
    return picker.end()
  } catch (error) {
    if (error instanceof NotJson) throw halfAnswer(provider)
    if (error instanceof UnreadableJson) throw tooManyParts(provider)
    throw error
  }
}

export const halfAnswer = (provider: string) =>
  unavailable('git_provider_unavailable', `${provider} sent half an answer.`)

/** As an answer of too many bytes, it does not get smaller by asking for days. */
export const tooManyParts = (provider: string) =>
  conflict('git_repository_too_large', `${provider} sent an answer of too many parts.`)
