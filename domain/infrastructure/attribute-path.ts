/**
 * A path as a person writes it, longer by one step: `root_block_device[0].volume_type`,
 * `tags["a.b"]`, `tags.Name`.
 */
export function appendStep(path: string, step: PathStep): string {
  if (typeof step === 'number') return `${path}[${step}]`
  if (/^[A-Za-z_][\w-]*$/.test(step)) return path === '' ? step : `${path}.${step}`
  return `${path}[${JSON.stringify(step)}]`
}

/** Reads the same form, and `a.0.b` for `a[0].b`. Undefined when the text is no path. */
export function readPath(text: string): PathStep[] | undefined {
  const steps: PathStep[] = []
  const pattern = /\.?([A-Za-z_][\w-]*|\d+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]/y
  while (pattern.lastIndex < text.length) {
    const start = pattern.lastIndex
    const match = pattern.exec(text)
    if (!match) return undefined
    const [whole, name, index, quoted] = match
    if (name !== undefined && whole.startsWith('.') === (start === 0)) return undefined
    if (index !== undefined) steps.push(Number(index))
    else if (name !== undefined) steps.push(/^\d+$/.test(name) ? Number(name) : name)
    else steps.push((quoted ?? '').replace(/\\(.)/g, '$1'))
  }
  return steps.length > 0 ? steps : undefined
}

export type PathStep = string | number
