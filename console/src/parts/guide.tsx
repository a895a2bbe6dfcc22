import { Fragment, useId, useState, type ReactNode } from 'react'
import { CopyLine } from './copy-line.tsx'
import { Select } from './forms.tsx'

/** One step: what to do there, and values of this service to copy, by the names that the form there has. */
export type GuideStep = {
  /** Names of fields and menus are in asterisks, as they are written there. */
  text: string
  values?: ReadonlyArray<readonly [field: string, text: string]>
}
export type Guides = Record<string, { name: string; steps: readonly GuideStep[] }>

type Props = { title: string; guides: Guides; children?: ReactNode }

/** The steps at another product, one product at a time. */
export function Guide({ title, guides, children }: Props) {
  const id = useId()
  const [chosen, setChosen] = useState(Object.keys(guides)[0] ?? '')
  const guide = guides[chosen]
  return (
    <section className="section guide" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <Select
        label="Provider"
        value={chosen}
        onChange={({ target: { value } }) => setChosen(value)}
      >
        {Object.entries(guides).map(([key, { name }]) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </Select>
      {guide && <GuideSteps steps={guide.steps} />}
      {children}
    </section>
  )
}

export const GuideSteps = ({ steps }: { steps: readonly GuideStep[] }) => (
  <ol>
    {steps.map(({ text, values = [] }) => (
      <li key={text}>
        {withNames(text)}
        {values.length > 0 && (
          <dl className="copy-lines">
            {values.map(([field, value]) => (
              <CopyLine key={field} label={field} text={value} />
            ))}
          </dl>
        )}
      </li>
    ))}
  </ol>
)

/** Names of another product’s fields stand out, and what is typed is code. */
const withNames = (text: string): ReactNode =>
  text.split(/(\*[^*]+\*|`[^`]+`)/).map((part, at) => {
    const inner = part.slice(1, -1)
    if (part.startsWith('*')) return <strong key={`${at}${inner}`}>{inner}</strong>
    if (part.startsWith('`')) return <code key={`${at}${inner}`}>{inner}</code>
    return <Fragment key={`${at}${part}`}>{part}</Fragment>
  })
