import type { Commitment } from './queries.ts'

/** Under this share people are told, after three days in a row. */
export const leastUsed = 0.8

export const commitmentOrderWords = {
  unused: 'Most unused first',
  amortised: 'Most paid first',
} as const

const categoryWords: Readonly<Record<string, string>> = {
  Spend: 'committed to spend',
  Usage: 'committed to usage',
}

/** What was committed to, as far as the bill says. */
export function commitmentKind({ type, category }: Pick<Commitment, 'type' | 'category'>): string {
  const kind = category === null ? undefined : (categoryWords[category] ?? category)
  return [type, kind].filter((word) => word !== null && word !== undefined).join(', ')
}

/** Rounded down: 79.99 % is not 80 %. */
export const shareWords = (share: number): string =>
  `${(Math.floor(share * 1_000 + 1e-9) / 10).toFixed(1)} %`
