export const nameField = 'variable-name'
export const valueField = 'variable-value'

/** The values of the form by name; undefined without any. A name that is there twice is refused: one value would be lost. */
export function variablesIn(form: FormData): Record<string, string> | undefined {
  const textsOf = (field: string) =>
    form.getAll(field).map((entry) => (typeof entry === 'string' ? entry : ''))
  const values = textsOf(valueField)
  const names = textsOf(nameField)
  const twice = names.find((name, at) => names.indexOf(name) < at)
  if (twice !== undefined)
    throw new Error(`The variable ${twice} is there twice. Remove one of them.`)
  const entries = names.map((name, at) => [name, values[at] ?? ''])
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}
