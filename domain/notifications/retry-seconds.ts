const firstSeconds = 5

/**
 * Exponential backoff with jitter of a quarter: receivers that failed together are not all asked again at the
 * same moment. `random` is in [0, 1).
 */
export function retrySeconds(
  failures: number,
  { mostSeconds, random }: { mostSeconds: number; random: number },
): number {
  const seconds = Math.min(mostSeconds, firstSeconds * 2 ** Math.min(failures, 20))
  return seconds * (0.75 + random / 2)
}
