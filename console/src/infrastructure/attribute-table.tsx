import { plural } from '../api/words.ts'
import { plainText } from '../parts/plain-text.ts'
import { Scroller } from '../parts/scroller.tsx'
import { DiffLines } from '../runs/diff-lines.tsx'
import { AttributeValue, LongText } from './attribute-value.tsx'
import type { JsonDiff } from './json-diff.ts'
import type { Action, Attribute } from './plan.ts'
import { formOf } from './value-form.ts'

type Props = { attributes: readonly Attribute[]; action: Action; name: string }

/** Which sides an action has. */
const sidesOf = (action: Action): Sides =>
  action === 'create' || action === 'read' ? 'after' : action === 'destroy' ? 'before' : 'both'

type Sides = 'before' | 'after' | 'both'

/** The attributes of a change. The columns have fixed widths, so that they are the same in every row. */
export function AttributeTable({ attributes, action, name }: Props) {
  if (attributes.length === 0) return <p className="dim pad">No attribute differs.</p>
  const sides = sidesOf(action)
  return (
    <Scroller className={`attributes ${sides}`} label={`Attributes of ${name}`}>
      <table>
        <thead>
          <tr>
            <th scope="col">Attribute</th>
            {sides !== 'after' && <th scope="col">Before</th>}
            {sides !== 'before' && <th scope="col">After</th>}
          </tr>
        </thead>
        <tbody>
          {attributes.map((attribute, at) => (
            // The attributes of a plan never change, and two long paths may be cut to the same text.
            // oxlint-disable-next-line react/no-array-index-key
            <Rows key={at} attribute={attribute} sides={sides} />
          ))}
        </tbody>
      </table>
    </Scroller>
  )
}

function Rows({ attribute, sides }: { attribute: Attribute; sides: Sides }) {
  const form = formOf(attribute)
  const name = <Name attribute={attribute} />
  if (form.form === 'json') return <JsonRows diff={form} name={name} sides={sides} />
  if (form.form === 'lines')
    return (
      <tr>
        {name}
        <td className="value-lines" colSpan={sides === 'both' ? 2 : 1}>
          {form.hunks.map(({ line, lines }) => (
            <DiffLines key={line} lines={lines} maxLength={2_000} />
          ))}
        </td>
      </tr>
    )
  const cell = (side: 'before' | 'after') => {
    const text = form.form === 'texts' ? form[side] : undefined
    return text === undefined ? (
      <AttributeValue attribute={attribute} side={side} />
    ) : (
      <LongText text={text} />
    )
  }
  return (
    <tr>
      {name}
      <Cells sides={sides} cell={cell} />
    </tr>
  )
}

type CellsProps = { sides: Sides; cell: (side: 'before' | 'after') => React.ReactNode }

const Cells = ({ sides, cell }: CellsProps) => (
  <>
    {sides !== 'after' && <td className="before">{cell('before')}</td>}
    {sides !== 'before' && <td className="after">{cell('after')}</td>}
  </>
)

function Name({ attribute: { path, forcesReplacement } }: { attribute: Attribute }) {
  return (
    <th scope="row">
      <bdi>{plainText(path || 'value')}</bdi>
      {forcesReplacement && <span className="tag bad">forces replacement</span>}
    </th>
  )
}

type JsonProps = { diff: JsonDiff; name: React.ReactNode; sides: Sides }

/** A JSON text: one row for each place in it that differs. */
function JsonRows({ diff: { parts, omitted }, name, sides }: JsonProps) {
  return (
    <>
      <tr>
        {name}
        <td className="dim" colSpan={sides === 'both' ? 2 : 1}>
          {plural(parts.length + omitted, 'place')} in this JSON text{' '}
          {parts.length + omitted === 1 ? 'differs' : 'differ'}
          {omitted > 0 && `, the first ${parts.length} are shown`}
        </td>
      </tr>
      {parts.map((part) => (
        <tr key={part.path} className="inside">
          <th scope="row">
            <bdi>{plainText(part.path || 'value')}</bdi>
          </th>
          <Cells sides={sides} cell={(side) => <JsonValue text={part[side]} />} />
        </tr>
      ))}
    </>
  )
}

const JsonValue = ({ text }: { text: string | undefined }) =>
  text === undefined ? <span className="dim">none</span> : <LongText text={text} />
