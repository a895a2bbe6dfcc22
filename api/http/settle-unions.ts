export type AjvFault = {
  keyword?: string
  instancePath?: string
  schemaPath?: string
  message?: string
  params?: Record<string, unknown>
}

/** A body can have 40,000, of which the caller is told twenty; each union is compared with all of them. */
const maxFaults = 500

/**
 * For a value that matches none of several shapes, Ajv reports the faults of every shape. This keeps
 * those of the shape that was probably meant: the one with the right type and `kind`.
 */
export function settleUnions(all: readonly AjvFault[]): AjvFault[] {
  const faults = all.slice(0, maxFaults)
  // Ajv reports a union after its shapes, so inner unions come first.
  let settled = [...faults]
  for (const union of faults) {
    if (union.keyword !== 'anyOf') continue
    const prefix = `${union.schemaPath ?? ''}/`
    const inside = settled.filter(
      (fault) => fault.schemaPath?.startsWith(prefix) && isOfUnion(fault, union),
    )
    const at = settled.indexOf(union)
    const rest = settled.filter((fault) => fault !== union && !inside.includes(fault))
    const place = rest.filter((fault) => settled.indexOf(fault) < at).length
    settled = rest.toSpliced(place, 0, ...meant(union, shapesOf(inside, prefix)))
  }
  return settled
}

/** Values that share a schema, as those of a map, have their faults at the same place of it. */
function isOfUnion({ instancePath = '' }: AjvFault, union: AjvFault): boolean {
  const { instancePath: at = '' } = union
  return instancePath === at || instancePath.startsWith(`${at}/`)
}

function shapesOf(faults: readonly AjvFault[], prefix: string): AjvFault[][] {
  const shapes = new Map<string, AjvFault[]>()
  for (const fault of faults) {
    const shape = (fault.schemaPath ?? '').slice(prefix.length).split('/')[0] ?? ''
    shapes.set(shape, [...(shapes.get(shape) ?? []), fault])
  }
  return [...shapes.values()]
}

function meant(union: AjvFault, shapes: AjvFault[][]): AjvFault[] {
  const typeOf = (shape: AjvFault[]) =>
    shape.find((fault) => fault.keyword === 'type' && fault.instancePath === union.instancePath)
      ?.params?.['type']
  const others = shapes.map(typeOf).filter((type) => type !== undefined)
  const fitting = shapes.filter((shape) => typeOf(shape) === undefined)
  if (fitting.length === 0)
    return [{ ...union, keyword: 'type', params: { type: [...new Set(others.flat())] } }]

  const ofKind = fitting.filter((shape) => !shape.some(isOfValue))
  const [first = []] = ofKind
  if (ofKind.length > 0) return first
  // The value that distinguishes the shapes is itself wrong: reports all that it may be.
  const [sample] = fitting.flat().filter(isOfValue)
  const allowedValues = fitting
    .flat()
    .filter((fault) => isOfValue(fault) && fault.instancePath === sample?.instancePath)
    .flatMap(({ params }) => params?.['allowedValues'] ?? [params?.['allowedValue']])
  return [{ ...sample, keyword: 'enum', params: { allowedValues, orType: others.flat() } }]
}

const isOfValue = ({ keyword }: AjvFault): boolean => keyword === 'const' || keyword === 'enum'
