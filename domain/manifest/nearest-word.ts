/** What other systems call a key, or what authors take it for. */
const otherNames: Readonly<Record<string, string>> = {
  command: 'run',
  commands: 'run',
  cmd: 'run',
  script: 'run',
  exec: 'run',
  bash: 'run',
  cwd: 'workdir',
  directory: 'workdir',
  'working-directory': 'workdir',
  working_directory: 'workdir',
  environment: 'env',
  variables: 'env',
  vars: 'env',
  paths: 'path',
  folder: 'path',
  file: 'path',
  files: 'include',
  ignore: 'exclude',
  artifacts: 'artifact',
  output: 'artifact',
  stages: 'steps',
  jobs: 'steps',
  timeoutMinutes: 'timeout',
  'timeout-minutes': 'timeout',
  title: 'name',
  restart: 'activate',
  start: 'activate',
  healthcheck: 'health',
  tags: 'labels',
  type: 'kind',
  batchSize: 'batch',
  wait: 'pause',
}

const longestWord = 40

/**
 * The word that an author probably meant: the one with the fewest changes of letters, at most a third of
 * them. Other names of a word count as it.
 */
export function nearestWord(wanted: string, words: readonly string[]): string | undefined {
  if (wanted.length > longestWord) return undefined
  const candidates = [
    ...words.map((word) => [word, word] as const),
    ...Object.entries(otherNames).filter(([, word]) => words.includes(word)),
  ]
  let best: string | undefined
  let least = Math.floor(Math.max(wanted.length, 3) / 3) + 1
  for (const [name, word] of candidates) {
    const changes = changesBetween(wanted.toLowerCase(), name.toLowerCase())
    if (changes < least) [best, least] = [word, changes]
  }
  return best
}

/** Letters inserted, removed, replaced, or two neighbours swapped (optimal string alignment). */
function changesBetween(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1]
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}
