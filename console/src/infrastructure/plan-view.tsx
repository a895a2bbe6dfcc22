import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  actionOf,
  type Action,
  type Attribute,
  type Plan,
  type PlannedOutput,
  type PlannedResource,
} from './plan.ts'
import { planQuery } from '../api/queries.ts'
import type { RunPlace } from '../api/types.ts'
import { plural } from '../api/words.ts'
import { FilterBox, foundWords } from '../parts/filter-box.tsx'
import { LoadMore } from '../parts/pages.tsx'
import { plainText } from '../parts/plain-text.ts'
import { Scroller } from '../parts/scroller.tsx'

/** Destructive actions come first, so that an approver does not miss them. */
const groups: ReadonlyArray<{ action: Action; sign: string; title: string; tone: string }> = [
  { action: 'destroy', sign: '−', title: 'Destroy', tone: 'bad' },
  { action: 'replace', sign: '∓', title: 'Replace (destroy, then create)', tone: 'bad' },
  { action: 'update', sign: '~', title: 'Change in place', tone: 'warn' },
  { action: 'create', sign: '+', title: 'Create', tone: 'good' },
  { action: 'read', sign: '→', title: 'Read', tone: 'quiet' },
  { action: 'move', sign: '↷', title: 'Move or import, nothing else changes', tone: 'quiet' },
]
const opensUpTo = 12

type Props = {
  first: Plan
  place: RunPlace
  /** Another one means that the changes are loaded anew. */
  version: string
  /** What else is known of a resource: shown at the end of its row. */
  beside?: Beside
}
type Beside = (resource: PlannedResource) => React.ReactNode

/** A plan. A long plan is loaded in pages, so the counts come from its overview. */
export function PlanView({ first, place, version, beside }: Props) {
  const [filter, setFilter] = useState('')
  const query = useInfiniteQuery(planQuery(place, version, first))
  const { actions, omittedChanges, ...all } = first.overview
  const pages = query.data.pages
  const matches = ({ address }: PlannedResource) =>
    address.toLowerCase().includes(filter.toLowerCase())
  const shown = pages.flatMap(({ resources }) => resources.filter(matches))
  const drift = pages.flatMap((page) => page.drift.filter(matches))
  const outputs = pages.flatMap((page) => page.outputs)
  const changing = Object.values(actions).reduce((sum, count) => sum + count, 0)
  const long = changing > opensUpTo
  if (changing === 0 && all.outputs === 0 && all.drift === 0)
    return <p className="dim">No changes: the infrastructure matches the files.</p>
  return (
    <div className={`plan ${long ? 'long' : ''}`}>
      {long && (
        <FilterBox
          label="Filter by address"
          value={filter}
          onChange={setFilter}
          found={foundWords(shown.length, query.hasNextPage)}
        />
      )}
      {omittedChanges > 0 && (
        <p className="note warn">
          {plural(omittedChanges, 'more change')} not shown. Deletions and replacements are shown
          first, and the log lists all changes.
        </p>
      )}
      {groups.map(({ action, sign, title, tone }) => {
        const members = shown.filter((resource) => actionOf(resource) === action)
        if (members.length === 0) return null
        return (
          <Group
            key={action}
            {...{ sign, tone, title, count: filter ? members.length : actions[action] }}
          >
            {members.map((resource) => (
              <Resource
                key={keyOf(resource)}
                {...{ resource, open: !long, sign, tone, action, beside }}
              />
            ))}
          </Group>
        )
      })}
      {outputs.length > 0 && (
        <Group title="Outputs" count={all.outputs}>
          {outputs.map((output) => (
            <Output key={output.name} output={output} />
          ))}
        </Group>
      )}
      {drift.length > 0 && (
        <Group title="Changed outside of OpenTofu" count={filter ? drift.length : all.drift}>
          {drift.map((resource) => (
            <Resource
              key={keyOf(resource)}
              {...{ resource, open: false, sign: '!', tone: 'quiet', action: actionOf(resource) }}
            />
          ))}
        </Group>
      )}
      <LoadMore query={query} />
    </div>
  )
}

/** A deposed object of a failed replacement has the address of its successor, so the key includes the actions. */
const keyOf = ({ address, actions }: PlannedResource) => `${address} ${actions.join(' ')}`

type GroupProps = {
  sign?: string
  tone?: string
  title: string
  count: number
  children: React.ReactNode
}

function Group({ sign, tone = '', title, count, children }: GroupProps) {
  return (
    <section className="plan-group">
      <h2>
        {sign && (
          <span className={`sign ${tone}`} aria-hidden="true">
            {sign}
          </span>
        )}
        {title} <span className="count">{count.toLocaleString()}</span>
      </h2>
      {children}
    </section>
  )
}

type ResourceProps = {
  resource: PlannedResource
  open: boolean
  sign: string
  tone: string
  action: Action
  beside?: Beside | undefined
}

function Resource({ resource, open, sign, tone, action, beside }: ResourceProps) {
  const [isOpen, setOpen] = useState(open)
  return (
    <details
      className="resource"
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <span className={`sign ${tone}`} aria-hidden="true">
          {sign}
        </span>
        <code className="address">{plainText(resource.address)}</code>
        {resource.previousAddress && (
          <span className="dim">
            was <code>{resource.previousAddress}</code>
          </span>
        )}
        {resource.replaceReason && (
          <span className="dim">{resource.replaceReason.replaceAll('_', ' ')}</span>
        )}
        {beside?.(resource)}
      </summary>
      {isOpen && (
        <>
          {(resource.attributes.length > 0 || resource.omittedAttributes === 0) && (
            <Attributes attributes={resource.attributes} action={action} name={resource.address} />
          )}
          <Omitted count={resource.omittedAttributes} />
        </>
      )}
    </details>
  )
}

const Omitted = ({ count }: { count: number }) =>
  count > 0 && <p className="dim pad">{plural(count, 'more attribute')} not shown.</p>

function Output({ output }: { output: PlannedOutput }) {
  return (
    <div className="resource">
      <p className="output-name">
        <code className="address">{output.name}</code>
      </p>
      <Attributes attributes={output.attributes} action={actionOf(output)} name={output.name} />
      <Omitted count={output.omittedAttributes} />
    </div>
  )
}

type AttributesProps = { attributes: readonly Attribute[]; action: Action; name: string }

function Attributes({ attributes, action, name }: AttributesProps) {
  if (attributes.length === 0) return <p className="dim pad">No attribute differs.</p>
  const both = action === 'update' || action === 'replace'
  return (
    <Scroller className={`attributes ${both ? 'both' : ''}`} label={`Attributes of ${name}`}>
      <table>
        <thead className="visually-hidden">
          <tr>
            <th scope="col">Attribute</th>
            {(both || action === 'destroy') && <th scope="col">Before</th>}
            {action !== 'destroy' && <th scope="col">After</th>}
          </tr>
        </thead>
        <tbody>
          {attributes.map((attribute) => (
            <tr key={attribute.path}>
              <th scope="row">
                {attribute.path || 'value'}
                {attribute.forcesReplacement && <span className="tag bad">forces replacement</span>}
              </th>
              {(both || action === 'destroy') && (
                <td className="before">
                  <Value value={attribute.before} attribute={attribute} />
                </td>
              )}
              {action !== 'destroy' && (
                <td className="after">
                  <Value value={attribute.after} attribute={attribute} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  )
}

/** A string is shown in quotes, as OpenTofu does. The text of a list or an object is shown without escapes. */
function Value({ value, attribute }: { value: Attribute['after']; attribute: Attribute }) {
  if (value === null) return <span className="dim">none</span>
  if (attribute.sensitive) return <span className="masked">•••• sensitive</span>
  if (attribute.unknown && value === attribute.after)
    return <span className="dim">known after apply</span>
  return (
    <span className="value">
      {plainText(
        typeof value === 'string' && !/^[[{]/.test(value) ? JSON.stringify(value) : String(value),
      )}
    </span>
  )
}
