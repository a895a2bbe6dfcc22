import type { ScopeKind } from './scope-fields.tsx'

type Typed<Kind, Value> = { scopeKind: Kind; scopeValue?: Value | null }
type Was = { scopeKind: ScopeKind | null; scopeValue: string | null }

/** Which cost something is about, where the form changed it. The kind and what of that kind are one choice. */
export function changedScope<Kind extends ScopeKind | null, Value extends string | number>(
  { scopeKind, scopeValue = null }: Typed<Kind, Value>,
  was: Was,
): Partial<Required<Typed<Kind, Value>>> {
  const isSame = textOf(scopeKind, scopeValue) === textOf(was.scopeKind, was.scopeValue)
  return isSame ? {} : { scopeKind, scopeValue }
}

const textOf = (kind: ScopeKind | null, value: string | number | null): string =>
  `${kind ?? 'all'} ${value}`
