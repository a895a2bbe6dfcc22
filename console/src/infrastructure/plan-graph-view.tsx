import { useMemo, useRef, useState, type KeyboardEvent } from 'react'
import { DataTable } from '../parts/data-table.tsx'
import { Button } from '../parts/forms.tsx'
import { plainText } from '../parts/plain-text.ts'
import { Scroller } from '../parts/scroller.tsx'
import type { PlanEntry } from './plan-entries.ts'
import { blocksOf, placesOf, stepFrom, type Block, type Placed } from './plan-graph.ts'
import { actionLooks } from './plan-words.ts'

type Props = { entries: readonly PlanEntry[]; onOpen: (block: string) => void }

/** Which changes need which, as a drawing and as a table. */
export function PlanGraphView({ entries, onOpen }: Props) {
  const blocks = useMemo(() => blocksOf(entries), [entries])
  const places = useMemo(() => placesOf(blocks), [blocks])
  const joined = blocks.filter(({ needs, neededBy }) => needs.length + neededBy.length > 0)
  if (joined.length === 0)
    return (
      <p className="dim pad">
        {blocks.length === 0
          ? 'No change matches the filters.'
          : 'None of these changes needs another one, as far as the plan says.'}
      </p>
    )
  const rest = blocks.length - places.length
  return (
    <>
      <p className="dim plan-note">
        What is needed stands on the left. Arrow keys walk along the graph. What is needed only
        through a local value is not known.
      </p>
      <Drawing places={places} onOpen={onOpen} />
      {rest > 0 && (
        <p className="dim plan-note">
          {joined.length > places.length
            ? `The drawing has ${places.length} of ${blocks.length} blocks. The table has more of them; a filter narrows both.`
            : rest === 1
              ? '1 block stands alone and is in the table only.'
              : `${rest.toLocaleString()} blocks stand alone and are in the table only.`}
        </p>
      )}
      <Table blocks={blocks} onOpen={onOpen} />
    </>
  )
}

const cell = { width: 224, height: 46, gap: 48 }
const box = { width: cell.width, height: 36 }
const leftOf = ({ column }: Placed) => column * (cell.width + cell.gap)
const topOf = ({ row }: Placed) => row * cell.height

type DrawingProps = { places: readonly Placed[]; onOpen: (block: string) => void }

function Drawing({ places, onOpen }: DrawingProps) {
  const nodes = useRef(new Map<string, HTMLButtonElement>())
  const [at, setAt] = useState(places[0]?.block.id)
  const current = places.find(({ block }) => block.id === at) ?? places[0]
  const width = Math.max(...places.map(leftOf)) + cell.width
  const height = Math.max(...places.map(topOf)) + cell.height
  const onKey = (event: KeyboardEvent, from: Placed) => {
    const next = stepFrom(places, from, event.key)
    if (!next) return
    event.preventDefault()
    nodes.current.get(next.block.id)?.focus()
  }
  return (
    <>
      <Scroller className="plan-graph" label="Dependency graph">
        <div style={{ width, height }} role="group" aria-label="Blocks">
          <Edges places={places} current={current?.block} size={{ width, height }} />
          {places.map((place) => {
            const { block } = place
            const { sign, tone } = actionLooks[block.action]
            return (
              <button
                key={block.id}
                type="button"
                ref={(node) => {
                  if (node) nodes.current.set(block.id, node)
                  else nodes.current.delete(block.id)
                }}
                className={`plan-node ${nearness(block, current?.block)}`}
                style={{ left: leftOf(place), top: topOf(place), ...box }}
                tabIndex={block === current?.block ? 0 : -1}
                title={plainText(block.id)}
                aria-label={wordsOf(block)}
                onFocus={() => setAt(block.id)}
                onClick={() => setAt(block.id)}
                onKeyDown={(event) => onKey(event, place)}
              >
                <span className={`sign ${tone}`} aria-hidden="true">
                  {sign}
                </span>
                {/* The end of a long address says more than its begin. */}
                <code>
                  <bdi dir="ltr">{plainText(block.id)}</bdi>
                </code>
                {block.instances > 1 && <span className="count">{block.instances}</span>}
              </button>
            )
          })}
        </div>
      </Scroller>
      {current && (
        <p className="plan-note">
          <span role="status">{wordsOf(current.block)}.</span>{' '}
          <Button onClick={() => onOpen(current.block.id)}>Show in the list</Button>
        </p>
      )}
    </>
  )
}

const nearness = (block: Block, current: Block | undefined): string => {
  if (block === current) return 'current'
  return current && [...current.needs, ...current.neededBy].includes(block.id) ? 'near' : ''
}

const wordsOf = ({ id, action, instances, needs, neededBy }: Block): string =>
  `${actionLooks[action].chip} ${plainText(id)}${instances > 1 ? `, ${instances} instances` : ''}, needs ${needs.length}, needed by ${neededBy.length}`

type EdgesProps = {
  places: readonly Placed[]
  current: Block | undefined
  size: { width: number; height: number }
}

function Edges({ places, current, size }: EdgesProps) {
  const byId = new Map(places.map((place) => [place.block.id, place]))
  const edges = places.flatMap((to) =>
    to.block.needs.flatMap((id) => {
      const from = byId.get(id)
      return from ? [{ from, to }] : []
    }),
  )
  return (
    <svg {...size} aria-hidden="true">
      {edges.map(({ from, to }) => {
        const [x1, y1] = [leftOf(from) + box.width, topOf(from) + box.height / 2]
        const [x2, y2] = [leftOf(to), topOf(to) + box.height / 2]
        const bend = cell.gap / 2
        const isNear = from.block === current || to.block === current
        return (
          <path
            key={`${from.block.id} ${to.block.id}`}
            className={isNear ? 'near' : ''}
            d={`M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`}
          />
        )
      })}
    </svg>
  )
}

const tableStep = 200

function Table({ blocks, onOpen }: { blocks: readonly Block[]; onOpen: (block: string) => void }) {
  const [shown, setShown] = useState(tableStep)
  return (
    <>
      <DataTable
        label="Dependencies of the changes"
        rows={blocks.slice(0, shown)}
        columns={[
          {
            title: 'Change',
            render: ({ id, action, instances }) => (
              <>
                <span className="dim">{actionLooks[action].chip}</span>{' '}
                <button type="button" className="link" onClick={() => onOpen(id)}>
                  <code className="address">{plainText(id)}</code>
                </button>
                {instances > 1 && <span className="dim"> × {instances}</span>}
              </>
            ),
          },
          { title: 'Needs', render: ({ needs, omitted }) => <Names ids={needs} more={omitted} /> },
          { title: 'Needed by', render: ({ neededBy }) => <Names ids={neededBy} more={0} /> },
        ]}
      />
      {blocks.length > shown && (
        <div className="more">
          <Button onClick={() => setShown(shown + tableStep)}>Show more</Button>
        </div>
      )}
    </>
  )
}

const maxNames = 20

function Names({ ids, more }: { ids: readonly string[]; more: number }) {
  if (ids.length + more === 0) return <span className="dim">nothing</span>
  const rest = Math.max(0, ids.length - maxNames) + more
  return (
    <ul className="plan-names">
      {ids.slice(0, maxNames).map((id) => (
        <li key={id}>
          <code className="address">{plainText(id)}</code>
        </li>
      ))}
      {rest > 0 && <li className="dim">and {rest.toLocaleString()} more</li>}
    </ul>
  )
}
