import { Field, Select, textIn } from '../parts/forms.tsx'
import { scopeWords } from './cost-words.ts'
import type { Budget } from './queries.ts'

export type ScopeKind = Budget['scopeKind']
// `Object.keys` returns strings, and the keys of `scopeWords` are exactly the kinds.
const scopeKinds = Object.keys(scopeWords) as ScopeKind[]

type Props = {
  /** What is changed. */
  before: { scopeKind: ScopeKind | null; scopeValue: string | null } | undefined
  kind: ScopeKind
  onKind: (kind: ScopeKind) => void
  /** Shown and not changed. */
  disabled?: boolean
}

/** Which cost something is about: the kind, and what of that kind. */
export function ScopeFields({ before, kind, onKind, disabled = false }: Props) {
  const { field, hint } = scopeWords[kind]
  return (
    <>
      <Select
        label="Of what"
        value={kind}
        disabled={disabled}
        onChange={({ target }) => onKind(scopeKinds.find((one) => one === target.value) ?? 'all')}
      >
        {scopeKinds.map((one) => (
          <option key={one} value={one}>
            {scopeWords[one].word}
          </option>
        ))}
      </Select>
      {field !== null && (
        <Field
          key={kind}
          label={field}
          name="scopeValue"
          required
          disabled={disabled}
          maxLength={1_000}
          autoComplete="off"
          defaultValue={before?.scopeKind === kind ? (before.scopeValue ?? '') : ''}
          hint={hint}
        />
      )}
    </>
  )
}

/** As the API takes it: accounts and workspaces by number. */
export function sentScope(form: FormData, kind: ScopeKind): string | number | null {
  const value = scopeOf(form, kind)
  return kind === 'account' || kind === 'workspace' ? Number(value) : value
}

/** What was typed, null for everything. */
export const scopeOf = (form: FormData, kind: ScopeKind): string | null =>
  kind === 'all' ? null : textIn(form, 'scopeValue').trim()
