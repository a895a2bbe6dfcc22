import { useNavigate } from '@tanstack/react-router'
import {
  memo,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
} from 'react'
import type { LogLine, RunPlace } from '../api/types.ts'
import { plural } from '../api/words.ts'
import { useKey } from '../app/shortcuts.tsx'
import { Button } from '../parts/forms.tsx'
import { useLogFeed } from './use-log-feed.ts'
import { plainText } from '../parts/plain-text.ts'

const rowHeight = 20
/** Rows rendered outside the viewport, so that a fast scroll shows no gap. */
const overscan = 20
const stateWords = {
  connecting: 'connecting…',
  live: 'live',
  waiting: 'not connected, or too many logs are open; the console tries again',
  refused: 'the service no longer sends this log',
  over: 'complete',
}

type Props = { place: RunPlace; stage: string; line: number | undefined }

/** A virtualized log: only the visible rows are in the document. */
export function LogView({ place, stage, line }: Props) {
  const { lines, state } = useLogFeed(place, stage)
  const box = useRef<HTMLDivElement>(null)
  const [scrollTop, setScrollTop] = useState(0)
  const [height, setHeight] = useState(600)
  const [follow, setFollow] = useState(line === undefined)
  const search = useSearch(lines)
  const links = useLineLinks(place, stage)

  useEffect(() => {
    const element = box.current
    if (!element) return
    const observer = new ResizeObserver(() => setHeight(element.clientHeight))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  const goTo = useCallback((index: number) => {
    const element = box.current
    if (!element) return
    setFollow(false)
    element.scrollTop = Math.max(0, index * rowHeight - element.clientHeight / 2)
  }, [])

  useLayoutEffect(() => {
    if (follow && box.current) box.current.scrollTop = box.current.scrollHeight
  }, [follow, lines])

  // Scrolls to the linked line once, as soon as it is loaded.
  const [sought, setSought] = useState<number>()
  useEffect(() => {
    if (line === undefined || sought === line) return
    const index = indexOfSeq(lines, line)
    if (index === undefined) return
    setSought(line)
    goTo(index)
  }, [line, lines, sought, goTo])

  const { current } = search
  useEffect(() => {
    if (current !== undefined) goTo(current)
  }, [current, goTo])

  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - overscan)
  const last = Math.min(lines.length, Math.ceil((scrollTop + height) / rowHeight) + overscan)
  const onScroll = () => {
    const element = box.current
    if (!element) return
    setScrollTop(element.scrollTop)
    const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < rowHeight
    if (!atEnd && element.scrollTop < scrollTop) setFollow(false)
  }
  return (
    <div className="log">
      <div className="log-bar">
        <SearchBox search={search} />
        <span className="dim num" role="status">
          {plural(lines.length, 'line')}, {stateWords[state]}
        </span>
        {state !== 'over' && state !== 'refused' && (
          <Button
            tone={follow ? 'primary' : 'plain'}
            aria-pressed={follow}
            onClick={() => setFollow(!follow)}
          >
            Follow
          </Button>
        )}
      </div>
      <div
        className="log-box"
        ref={box}
        onScroll={onScroll}
        role="region"
        aria-label={`Log of ${stage}`}
        onKeyDown={goToEnds}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- WCAG 2.1.1: keyboards must scroll it
        tabIndex={0}
      >
        {lines.length === 0 && <p className="log-none">{noneWords[state]}</p>}
        <div className="log-all" style={{ height: lines.length * rowHeight }}>
          <ol className="log-window" style={{ transform: `translateY(${first * rowHeight}px)` }}>
            {lines.slice(first, last).map((one, at) => (
              <Row
                key={one.seq}
                one={one}
                address={links.address}
                term={search.term}
                look={one.seq === line ? 'linked' : first + at === current ? 'current' : ''}
                onLink={links.onLink}
              />
            ))}
          </ol>
        </div>
      </div>
    </div>
  )
}

/** Home and End jump: the scroll of the browser would pass through the whole log and render it on its way. */
function goToEnds(event: KeyboardEvent<HTMLElement>): void {
  const { key, currentTarget: box } = event
  if (event.target !== box || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey)
    return
  if (key !== 'Home' && key !== 'End') return
  event.preventDefault()
  box.scrollTop = key === 'Home' ? 0 : box.scrollHeight
}

const noneWords = {
  connecting: 'Connecting…',
  live: 'No output yet.',
  waiting:
    'Not connected: the connection was lost, or too many logs are open. The console tries again and continues after the last line.',
  refused: 'The service does not send this log.',
  over: 'This stage has no output.',
}

type RowProps = {
  one: LogLine
  address: string
  term: string
  look: string
  onLink: (seq: number) => void
}

/** A plain `<a>` and memoized, because a scroll renders about a hundred rows in each frame. */
const Row = memo(function Row({ one, address, term, look, onLink }: RowProps) {
  const follow = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    onLink(one.seq)
  }
  return (
    <li className={`log-row ${one.level} ${look}`}>
      <a
        className="log-number"
        href={`${address}&line=${one.seq}`}
        aria-label={`Link to line ${one.seq}`}
        onClick={follow}
      >
        {one.seq}
      </a>
      {one.host && (
        <bdi className="log-host">
          <Marked text={one.host} term={term} />
        </bdi>
      )}
      <span className="log-text">
        <Marked text={one.line} term={term} />
      </span>
    </li>
  )
})

/** The URL of the log of this stage, and a function that opens one of its lines. */
function useLineLinks({ kind, id, runId }: RunPlace, stage: string) {
  const navigate = useNavigate()
  const address = `/${kind}s/${id}/runs/${runId}?tab=log&stage=${encodeURIComponent(stage)}`
  const onLink = useCallback(
    (line: number) => {
      const to = { params: { id, runId }, search: { tab: 'log' as const, stage, line } }
      const how = { replace: true, resetScroll: false }
      void (kind === 'pipeline'
        ? navigate({ to: '/pipelines/$id/runs/$runId', ...to, ...how })
        : navigate({ to: '/workspaces/$id/runs/$runId', ...to, ...how }))
    },
    [kind, id, runId, stage, navigate],
  )
  return { address, onLink }
}

/** Line numbers usually have no gaps, so the index of a line is usually its number minus one. */
function indexOfSeq(lines: readonly LogLine[], seq: number): number | undefined {
  if (lines[seq - 1]?.seq === seq) return seq - 1
  const index = lines.findIndex((one) => one.seq === seq)
  return index < 0 ? undefined : index
}

type Search = ReturnType<typeof useSearch>

function useSearch(lines: readonly LogLine[]) {
  const [term, setTerm] = useState('')
  const [at, setAt] = useState(0)
  const wanted = term.toLowerCase()
  const found = useMemo(
    () =>
      wanted === '' ? [] : lines.flatMap((one, index) => (hasTerm(one, wanted) ? [index] : [])),
    [lines, wanted],
  )
  return {
    term: wanted,
    at,
    found,
    current: found[at],
    setTerm(value: string) {
      setTerm(value)
      setAt(0)
    },
    move: (by: number) => {
      if (found.length > 0) setAt((at + by + found.length) % found.length)
    },
    typed: term,
  }
}

const hasTerm = ({ line, host = '' }: LogLine, term: string): boolean =>
  line.toLowerCase().includes(term) || host.toLowerCase().includes(term)

function SearchBox({ search }: { search: Search }) {
  const input = useRef<HTMLInputElement>(null)
  useKey(
    '/',
    useCallback(() => input.current?.focus(), []),
  )
  return (
    <div className="log-search">
      <input
        ref={input}
        type="search"
        aria-label="Search in the log"
        placeholder="Search  /"
        value={search.typed}
        onChange={(event) => search.setTerm(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') search.move(event.shiftKey ? -1 : 1)
        }}
      />
      <span className="dim num" role="status">
        {search.term !== '' &&
          (search.found.length === 0 ? 'none' : `${search.at + 1} of ${search.found.length}`)}
      </span>
    </div>
  )
}

function Marked({ text: written, term }: { text: string; term: string }) {
  const text = plainText(written)
  const at = term === '' ? -1 : text.toLowerCase().indexOf(term)
  if (at < 0) return text
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + term.length)}</mark>
      {text.slice(at + term.length)}
    </>
  )
}
