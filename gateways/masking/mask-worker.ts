import { maskSecrets, type Mask } from '../../domain/runs/mask-secrets.ts'
import type { TokenChoice } from '../../domain/secrets/token-shapes.ts'
import { serveJobs } from '../threads/serve-jobs.ts'

/** `key` is of one list of secrets, so that a mask is made once. */
export type MaskJob = {
  key: string
  secrets: string[]
  texts: string[]
  maxLength: number
  choice?: TokenChoice
}

/** The thread that masks texts by many secrets. */
serveJobs(({ key, secrets, texts, maxLength, choice }: MaskJob): string[] => {
  const mask = maskOf(key, secrets)
  return texts.map((text) => mask(text, maxLength, choice))
})

/** Characters of secrets: a mask takes about 66 times as many bytes. */
const maxKept = 1_200_000

const kept = new Map<string, { mask: Mask; size: number }>()

function maskOf(key: string, secrets: string[]): Mask {
  const found = kept.get(key)
  if (found) return found.mask
  const size = secrets.reduce((sum, secret) => sum + secret.length, 0)
  let total = [...kept.values()].reduce((sum, one) => sum + one.size, size)
  // Before the next one is made, so that they are never in memory together.
  for (const [oldest, { size: freed }] of kept) {
    if (total <= maxKept) break
    kept.delete(oldest)
    total -= freed
  }
  const mask = maskSecrets(secrets)
  kept.set(key, { mask, size })
  return mask
}
