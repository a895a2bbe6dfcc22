/**
 * Whether a parsed JSON value is nested deeper than a limit. JSON.parse accepts millions of levels, but
 * JSON.stringify and recursive functions overflow the stack at some thousands, so an attacker's nested
 * list would end the process. This function is iterative.
 */
export function isDeeperThan(value: unknown, maxLevels: number): boolean {
  let level: object[] = isObject(value) ? [value] : []
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxLevels) return true
    const below: object[] = []
    for (const item of level)
      for (const child of Array.isArray(item) ? (item as unknown[]) : Object.values(item))
        if (isObject(child)) below.push(child)
    level = below
  }
  return false
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
